import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, by what their paths begin with, the longest first. */
const longest = [
  'packages/cli/test/',
  'scripts/',
  'packages/manager/src/http/fuzz',
  'packages/manager/src/http/permission-matrix',
  'packages/storage/src/embedded/',
  'python/',
  'packages/manager/src/isolation',
  'packages/manager/src/features/',
  'packages/worker/src/operations/',
  'packages/manager/',
  'packages/cli/src/completion/',
]

/** Begins with what takes longest, so that at the end no process is left alone with it. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const path = moduleId.slice(this.ctx.config.root.length + 1)
      const found = longest.findIndex((start) => path.startsWith(start))
      return found === -1 ? longest.length : found
    }
    return [...files].sort((a, b) => place(a) - place(b))
  }
}
