import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Attribute, Change, Client } from 'ldapts'

/** A real OpenLDAP server on loopback with a folder and ports of its own. */
export type Slapd = {
  readonly url: string
  readonly secureUrl: string
  readonly port: number
  /** Adds (or takes away) values of an attribute of an entry. */
  change(
    dn: string,
    operation: 'add' | 'delete' | 'replace',
    attribute: string,
    values: string[],
  ): Promise<void>
  stop(): Promise<void>
}

export const suffix = 'dc=example,dc=org'
export const adminDn = `cn=root,${suffix}`
export const adminPassword = 'root-password'

const certificates = join(dirname(fileURLToPath(import.meta.url)), 'ldap-certificates')
export const certificate = (name: 'ca' | 'other-ca'): Promise<string> =>
  readFile(join(certificates, `${name}.pem`), 'utf8')

/** @param entries LDIF of what it holds */
export async function startSlapd(entries: string): Promise<Slapd> {
  const unpacked = await unpackedSlapd()
  const folder = await mkdtemp(join(tmpdir(), 'tutti-slapd-'))
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'slapd.conf'), configuration(unpacked, folder))
  await writeFile(join(folder, 'entries.ldif'), entries)
  const program = join(unpacked, 'usr/sbin/slapd')
  const env = { ...process.env, LD_LIBRARY_PATH: (await libraryFolders(unpacked)).join(':') }
  const file = ['-f', join(folder, 'slapd.conf')]
  await promisify(execFile)(program, ['-Tadd', ...file, '-l', join(folder, 'entries.ldif')], { env })
  const [port, securePort] = await Promise.all([freePort(), freePort()])
  const url = `ldap://localhost:${port}`
  const secureUrl = `ldaps://localhost:${securePort}`
  const child = spawn(
    program,
    [...file, '-d', '0', '-h', `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${securePort}`],
    {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  await Promise.all([answers(port, child), answers(securePort, child)])
  return {
    url,
    secureUrl,
    port,
    async change(dn, operation, attribute, values) {
      const client = new Client({ url })
      try {
        await client.bind(adminDn, adminPassword)
        await client.modify(
          dn,
          new Change({ operation, modification: new Attribute({ type: attribute, values }) }),
        )
      } finally {
        await client.unbind()
      }
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode === null && child.kill()) await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Where slapd is; unpacks it at first (scripts/fetch-slapd.sh). */
async function unpackedSlapd(): Promise<string> {
  const root = dirname(dirname(dirname(certificates)))
  const script = join(dirname(root), 'scripts', 'fetch-slapd.sh')
  const { stdout } = await promisify(execFile)(script)
  return stdout.trim()
}

async function libraryFolders(unpacked: string): Promise<readonly string[]> {
  if (unpacked === '/') return []
  const lib = join(unpacked, 'usr/lib')
  const names = await readdir(lib)
  return names.filter((name) => name.includes('-linux-')).map((name) => join(lib, name))
}

/**
 * `allow bind_anon_cred`: like other directories, it says "well" to a name with an empty password. Nobody reads without
 * having logged in.
 */
const configuration = (unpacked: string, folder: string) => `
${['core', 'cosine', 'inetorgperson'].map((name) => `include ${join(unpacked, 'etc/ldap/schema', name)}.schema`).join('\n')}
attributetype ( 1.3.6.1.4.1.4203.666.1.1 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch
  SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.4203.666.1.2 NAME 'testAccount' AUXILIARY MAY ( sAMAccountName ) )
modulepath ${join(unpacked, 'usr/lib/ldap')}
moduleload back_mdb
moduleload memberof
pidfile ${join(folder, 'pid')}
allow bind_anon_cred
TLSCACertificateFile ${join(certificates, 'ca.pem')}
TLSCertificateFile ${join(certificates, 'server.pem')}
TLSCertificateKeyFile ${join(certificates, 'server.key')}
database mdb
maxsize 16777216
suffix "${suffix}"
rootdn "${adminDn}"
rootpw ${adminPassword}
directory ${join(folder, 'data')}
overlay memberof
memberof-group-oc groupOfUniqueNames
memberof-member-ad uniqueMember
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
`

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Tries until it can be connected to; a child that ended never will be. */
async function answers(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`slapd ended with ${child.exitCode}`)
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
