import type { RouteName } from '@tutti/api'
import { Option } from 'commander'
import type { CommandDefinition } from './command.ts'
import { action } from './verbs.ts'

export const visibilityOption = (): Option =>
  new Option('-l, --visibility <visibility>', 'who can see it').choices(['private', 'tenant', 'global'])

/** The routes that widen who can see something; all take the same body. */
type VisibilityRoute = Extract<RouteName, `${string}.setVisibility`>

/** `set-visibility`, and `set-global` as the older clients have it. */
export const visibilityVerbs = (
  route: VisibilityRoute,
  noun: string,
  hides: readonly string[] = [],
): readonly CommandDefinition[] => [
  action(route, {
    usage: `set-visibility <${noun}>`,
    description: `Widen who can see a ${noun}`,
    examples: [`tutti ${noun}s set-visibility ID -l global`],
    options: [
      new Option('-l, --visibility <visibility>', 'who can see it from now on')
        .choices(['tenant', 'global'])
        .makeOptionMandatory(),
    ],
    body: (_args, options) => ({ visibility: options.required('visibility') }),
    done: ([id], options) => `The visibility of ${noun} ${id} is ${options.text('visibility')}`,
    hides,
  }),
  action(route, {
    usage: `set-global <${noun}>`,
    description: `Let every tenant see a ${noun}`,
    examples: [`tutti ${noun}s set-global ID`],
    body: () => ({ visibility: 'global' }),
    done: ([id]) => `Every tenant sees ${noun} ${id}`,
    hides,
  }),
]
