import { scopeOf } from '@tutti/domain'
import { findInstallable } from '@tutti/domain/plugins'
import {
  type ExecutionRow,
  executionEvents,
  insertEvents,
  isDatabaseAway,
  type Notification,
  publicReason,
  type Registry,
  type Visibility,
  withoutCredentials,
} from '@tutti/storage'
import { createCoalescedTask } from '../coalesced-task.ts'
import { isNoSpace, operationUser } from '../operations/index.ts'
import { whileAway } from '../while-away.ts'
import { choosePlugin } from './choose-plugin.ts'
import { environmentsFolder, openEnvironmentsFolder, pythonOf } from './folders.ts'
import { failure, type InstallServices, wagonInstallation } from './install-plugin.ts'
import { PluginInstallationError } from './installation-error.ts'
import { createInstallations, type Installation } from './installations.ts'
import { createInterpreters } from './interpreter.ts'
import { pluginMetrics } from './metrics.ts'
import { listNotes, removeNote } from './notes.ts'
import { openTo } from './ownership.ts'
import { type AskedOf, findAsked, readPlugin, type StoredPlugin } from './queries.ts'
import { createRemembered } from './remembered.ts'
import { sourceInstallation } from './source-installation.ts'
import { writeState } from './states.ts'
import { createEnvironmentSweep } from './sweep.ts'
import type { UsedPlugin } from './used-plugin.ts'

/** What runs the functions of a plugin. */
export type PluginEnvironment = {
  readonly python: string
  /** What the function is told of the plugin that was found, beside what the plan says. */
  readonly found: {
    readonly package_version?: string
    readonly visibility?: Visibility
    readonly tenant_name?: string
  }
}

export type Plugins = {
  /**
   * The environment of a plugin that an execution's operation or workflow is of: installed first unless it is there, while
   * all others who want it wait. For a `source` in a blueprint, the files of the deployment are laid out (`inResources`).
   *
   * @throws PluginInstallationError, errors of the file system such as a full disk, and the signal's reason
   */
  environmentOf(plugin: UsedPlugin, execution: ExecutionRow, signal: AbortSignal): Promise<PluginEnvironment>
  onNotification(notification: Notification): void
  /** Looks for what was asked of this machine. */
  ask(): void
  stop(): Promise<void>
}

type Services = Omit<InstallServices, 'counts'> & {
  readonly metrics: Registry
  readonly now: () => number
}

/** What is the worker's own: the script plugin, and what stands for the built-in workflows. */
const ownPlugins: ReadonlySet<string> = new Set(['script', 'default_workflows', 'cloudify_system_workflows'])

const lookMs = 30_000
/** An execution's operations of one plugin do not all ask the database which it is. */
const rememberedMs = 30_000

export async function openPlugins(services: Services): Promise<Plugins> {
  const { db, settings, log } = services
  const { python, environment, operationUsers } = settings
  const manager = environment.manager.name
  const root = environmentsFolder(settings.dataFolder)
  await openEnvironmentsFolder(root)
  const interpreters = createInterpreters(environment)
  const installations = createInstallations(root)
  const installing = { db, settings, log, counts: pluginMetrics(services.metrics) }
  const resolved = createRemembered<Resolved | undefined>(rememberedMs)
  const closing = new AbortController()
  /** Executions that have been told of an installation which goes on. */
  const told = new Set<string>()

  async function resolve(plugin: UsedPlugin, execution: ExecutionRow): Promise<Resolved | undefined> {
    const { package_name: packageName } = plugin
    if (packageName === null) return undefined
    const { tenant_id: tenantId, created_by: username } = execution
    const scope = await scopeOf(db, tenantId, username)
    const found = await findInstallable(db, scope, { ...plugin, package_name: packageName })
    const chosen = choosePlugin(found, await interpreters(python))
    if (chosen === undefined) return undefined
    const stored = await readPlugin(db, chosen.tenant_id, chosen.id)
    return stored && { stored, tenantName: chosen.tenant_name }
  }

  /** The folder of the environment. What becomes of it is said to the execution, by the first of it that asks. */
  async function ensure(
    installation: Installation,
    what: string,
    execution: ExecutionRow,
    signal: AbortSignal,
  ): Promise<string> {
    const { name } = installation
    const found = await installations.find(name)
    if (found !== undefined) return found
    const key = `${execution.id} ${name}`
    const tells = !told.has(key)
    if (tells) {
      told.add(key)
      await tell(execution, 'info', `Installing ${what} on ${manager}`)
    }
    try {
      const folder = await unlessAborted(
        whileAway(
          () => installations.ensure(installation),
          () => signal.throwIfAborted(),
        ),
        signal,
      )
      if (tells) await tell(execution, 'info', `Installed ${what} on ${manager}`)
      return folder
    } finally {
      if (tells) told.delete(key)
    }
  }

  async function tell(execution: ExecutionRow, level: string, message: string): Promise<void> {
    const event = { isLog: true, reportedAt: new Date(services.now()), level, message } as const
    try {
      await insertEvents(db, executionEvents(execution), [event])
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      log.warn({ execution_id: execution.id }, message)
    }
  }

  async function wagonEnvironment(
    { stored, tenantName }: Resolved,
    execution: ExecutionRow,
    signal: AbortSignal,
  ): Promise<PluginEnvironment> {
    const { packageName, packageVersion, visibility, tenantId } = stored
    try {
      const installation = wagonInstallation(installing, stored, await interpreters(python))
      const what = `plugin ${packageName} ${packageVersion}`
      const folder = await ensure(installation, what, execution, signal)
      await openTo(folder, visibility, operationUser(operationUsers, tenantId))
      return {
        python: pythonOf(folder),
        found: { package_version: packageVersion, visibility, tenant_name: tenantName },
      }
    } catch (error) {
      if (signal.aborted || isNoSpace(error)) throw error
      throw new PluginInstallationError(failure(stored, manager, error), { cause: error })
    }
  }

  async function sourceEnvironment(
    plugin: UsedPlugin & { readonly source: string },
    execution: ExecutionRow,
    signal: AbortSignal,
  ): Promise<PluginEnvironment> {
    try {
      const installation = await sourceInstallation(installing, plugin, execution, await interpreters(python))
      const folder = await ensure(
        installation,
        `plugin ${plugin.name} from ${withoutCredentials(plugin.source)}`,
        execution,
        signal,
      )
      return { python: pythonOf(folder), found: {} }
    } catch (error) {
      if (signal.aborted || isNoSpace(error)) throw error
      const why = error instanceof PluginInstallationError ? error.message : publicReason(error)
      throw new PluginInstallationError(
        `Plugin ${plugin.name} could not be installed from its source on ${manager}: ${why}`,
        { cause: error },
      )
    }
  }

  async function doAsked({ tenantId, id, wanted }: AskedOf): Promise<void> {
    const stored = await readPlugin(db, tenantId, id)
    if (stored === undefined) return
    if (wanted === 'uninstalled') {
      await writeState(db, stored, manager, { state: 'uninstalling' })
      for (const { name, origin } of (await listNotes(root)).values()) {
        if (origin.kind !== 'wagon' || origin.tenantId !== tenantId || origin.pluginId !== id) continue
        // The environment itself goes when nobody can be at work in it any more.
        await removeNote(root, name)
        installations.forget(name)
      }
      await writeState(db, stored, manager, { state: 'uninstalled' })
      return
    }
    try {
      const installation = wagonInstallation(installing, stored, await interpreters(python))
      await installations.ensure(installation)
      await writeState(db, stored, manager, { state: 'installed' })
    } catch (error) {
      if (closing.signal.aborted || isDatabaseAway(error)) throw error
      // Where it could not even begin; else it says the same again.
      await writeState(db, stored, manager, { state: 'error', error: failure(stored, manager, error) })
    }
  }

  const asked = createCoalescedTask(
    async () => {
      for (const one of await findAsked(db, manager)) {
        if (closing.signal.aborted) return
        await doAsked(one)
      }
    },
    {
      delayMs: 0,
      onError: (error) => log.warn({ err: error }, 'plugins could not be installed yet as was asked'),
    },
  )
  const sweep = createEnvironmentSweep(db, root)
  const sweeper = createCoalescedTask(sweep, {
    delayMs: 0,
    onError: (error) =>
      log.warn({ err: error }, 'environments of plugins that are no more could not be removed yet'),
  })
  const timer = setInterval(() => {
    asked.ask()
    sweeper.ask()
  }, lookMs)
  timer.unref()
  asked.ask()

  return {
    async environmentOf(plugin, execution, signal) {
      if (isOwn(plugin)) return { python, found: {} }
      const key = JSON.stringify([execution.id, plugin])
      const found = await whileAway(
        () => resolved(key, () => resolve(plugin, execution)),
        () => signal.throwIfAborted(),
      )
      if (found !== undefined) return wagonEnvironment(found, execution, signal)
      const { source } = plugin
      if (source !== null) return sourceEnvironment({ ...plugin, source }, execution, signal)
      throw new PluginInstallationError(missing(plugin))
    },
    onNotification({ kind }) {
      if (kind === 'plugin_asked') asked.ask()
    },
    ask: () => asked.ask(),
    async stop() {
      clearInterval(timer)
      closing.abort()
      await installations.stop()
      await Promise.all([asked.stop(), sweeper.stop()])
    },
  }
}

const isOwn = ({ install, name }: UsedPlugin): boolean => !install || ownPlugins.has(name)

type Resolved = { readonly stored: StoredPlugin; readonly tenantName: string }

function missing({ name, package_name: packageName, package_version: version }: UsedPlugin): string {
  return packageName === null
    ? `Plugin ${name} has neither package_name nor source, so it cannot be installed: say one in the blueprint, or ` +
        '"install: false" where the worker has it already'
    : `Plugin ${name} is not there: no uploaded plugin is ${packageName}${version === null ? '' : ` ${version}`} as the ` +
        'blueprint wants it. Upload it (tutti plugins upload)'
}

/** The work goes on when it is not waited for any more. @throws the signal's reason */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
    work.catch(() => {}) // somebody else is told, or the log
  }
}
