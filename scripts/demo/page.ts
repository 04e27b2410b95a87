/** What a web server shows; undefined when nothing listens there. */
export async function page(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal })
    return await response.text()
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: unknown } }
    if (cause?.code === 'ECONNREFUSED') return undefined
    throw error
  }
}
