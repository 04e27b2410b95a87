import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blueprintArchive, tarOf } from '../../test/archives.ts'
import { pluginZip, wagonEntries } from '../../test/plugin-archives.ts'
import { startTestSystem, type TestSystem } from '../../test/test-system.ts'
import { createDiskSpace } from './disk-space.ts'
import { errorAnswer } from './errors.ts'

const withCode = (code: string) => Object.assign(new Error('secret/path'), { code })

test.each(['ENOSPC', 'EDQUOT', '53100'])('%s is answered as a full disk, without saying where', (code) => {
  for (const error of [withCode(code), new Error('upload', { cause: withCode(code) })]) {
    const { status, body, isInternal } = errorAnswer(error)
    expect({ status, isInternal }).toEqual({ status: 507, isInternal: true })
    expect(body).toMatchObject({
      error_code: 'insufficient_storage_error',
      message: 'There is no space left on the disk of the manager',
    })
  }
})

test('there is room until a write was refused, and again some time after it', async () => {
  let nowMs = 0
  const diskSpace = createDiskSpace(tmpdir(), { nowMs: () => nowMs })
  await diskSpace.check()
  diskSpace.noteFull()
  await expect(diskSpace.check()).rejects.toMatchObject({ code: 'insufficient_storage_error' })
  nowMs = 60_000
  await diskSpace.check()
})

const canMount = process.getuid?.() === 0 && mounts()

function mounts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tutti', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (canMount) {
  describe('a disk that is really full', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tutti-full-'))
    let system: TestSystem
    beforeAll(async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tutti', folder])
      system = await startTestSystem({ dataFolder: folder })
    })
    afterAll(async () => {
      await system.close()
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    })

    test('uploads and readiness say so, and all is well again when there is room', async () => {
      await system.upload('first')
      expect((await fetch(`${system.url}/readyz`)).status).toBe(200)
      const filler = join(folder, 'filler')
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(filler, Buffer.alloc(bavail * bsize - 8 * 1024, 1))
      const archive = blueprintArchive(undefined, { 'large.bin': 'x'.repeat(20_000_000) })
      expect(archive.length).toBeGreaterThan(8 * 1024)
      expect(await system.send('PUT', '/blueprints/second', { body: archive })).toMatchObject({
        status: 507,
        body: { error_code: 'insufficient_storage_error' },
      })
      // Small enough to be received, and too large to be unpacked.
      const wagon = gzipSync(
        tarOf(...wagonEntries(), { name: 'test-plugin/large', content: Buffer.alloc(3_000_000) }),
      )
      expect(await system.send('POST', '/plugins', { body: wagon })).toMatchObject({
        status: 507,
        body: { error_code: 'insufficient_storage_error' },
      })
      expect(readdirSync(folder).filter((name) => /^plugin-[0-9a-f]{8}-/.test(name))).toEqual([])
      const ready = await fetch(`${system.url}/readyz`)
      expect(ready.status).toBe(503)
      expect(await ready.json()).toMatchObject({ why: 'There is no space left on the disk of the manager' })
      rmSync(filler)
      await expect
        .poll(async () => (await fetch(`${system.url}/readyz`)).status, { timeout: 60_000 })
        .toBe(200)
      await system.upload('second')
      expect((await system.send('POST', '/plugins', { body: pluginZip() })).status).toBe(201)
    })
  })
}
