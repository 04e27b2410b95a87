import type { Plugin, PluginInstallation } from '@tutti/api'
import type { Context } from '../context.ts'

type Asked = { readonly managers: readonly string[]; readonly agents: readonly string[] }

const pauseMs = 500

const nameOf = ({ manager, agent }: PluginInstallation): string => manager ?? agent ?? ''

export const statesText = (states: readonly PluginInstallation[]): string =>
  states
    .map((one) => `${nameOf(one)} ${one.state}${one.error === null ? '' : ` (${one.error})`}`)
    .join(', ') || 'nowhere'

/** Where it was asked to be installed: everywhere that an installation is under way, where none are named. */
function isAsked({ managers, agents }: Asked, { manager, agent, state }: PluginInstallation): boolean {
  if (managers.length === 0 && agents.length === 0) return state !== 'uninstalled'
  return (manager !== null && managers.includes(manager)) || (agent !== null && agents.includes(agent))
}

const isUnderWay = ({ state }: PluginInstallation): boolean =>
  state === 'pending-install' || state === 'installing'

/** Shows how far it has come, until all have it or have failed. Answers the exit code. */
export async function followInstallation(context: Context, begun: Plugin, asked: Asked): Promise<number> {
  const { environment, reporter } = context
  const { call } = await context.client()
  const signal = environment.interruption()
  const shown = new Map<string, string>()
  for (let plugin = begun; ; ) {
    const states = plugin.installation_state.filter((one) => isAsked(asked, one))
    for (const one of states) {
      const text = lineOf(one)
      if (shown.get(nameOf(one)) !== text) reporter.note(text)
      shown.set(nameOf(one), text)
    }
    if (!states.some(isUnderWay)) {
      const hasFailed = states.some(({ state }) => state !== 'installed')
      const what = hasFailed ? 'is not installed everywhere' : 'is installed'
      reporter.result(plugin, `Plugin ${plugin.id} ${what}: ${statesText(states)}`)
      return hasFailed ? 1 : 0
    }
    await environment.wait(pauseMs, signal)
    plugin = await call('plugins.get', { params: { plugin_id: begun.id }, signal })
  }
}

function lineOf(one: PluginInstallation): string {
  const { state, error, progress } = one
  const steps = progress === null ? '' : ` ${progress.done}/${progress.total} ${progress.message}`
  return `${nameOf(one)}: ${state}${steps}${error === null ? '' : `: ${error}`}`
}
