/** Waits for what another process does. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 6000) throw new Error('it did not happen within 60 s')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
