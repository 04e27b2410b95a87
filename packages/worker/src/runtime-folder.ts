import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the Python runtime lies: beside the packages in the repository, inside this package in a release. */
export function runtimeFolder(): string {
  const places = ['../python', '../../../python'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find((place) => existsSync(`${place}/run_operation.py`))
  if (found === undefined)
    throw new Error(`The Python runtime is in none of ${places.join(', ')}: install Tutti again`)
  return found
}
