import type { FormBounds } from "../../contract/annotations.ts"

/**
 * Receives a body chunk by chunk, within its bytes and its time, until one is refused. Rejects if the connection breaks.
 */
export const receive = async <Refusal>(
  body: ReadableStream<Uint8Array> | null,
  bounds: Pick<FormBounds, "bytes" | "seconds">,
  take: (chunk: Uint8Array) => Promise<Refusal | undefined>
): Promise<Refusal | "late" | "large" | undefined> => {
  const reader = body?.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void reader?.cancel().catch(() => {})
  }, bounds.seconds * 1_000)
  let bytes = 0
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      bytes += next.value.byteLength
      if (bytes > bounds.bytes) return "large"
      const refused = await take(next.value)
      if (refused !== undefined) return refused
    }
  } catch (cause) {
    if (!isLate) throw cause
  } finally {
    clearTimeout(timer)
    reader?.releaseLock()
  }
  return isLate ? "late" : undefined
}
