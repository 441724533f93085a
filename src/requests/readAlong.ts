/** A text, possibly cut. */
export interface Taken {
  readonly text: string
  readonly isCut: boolean
}

export const cutAt = (text: string, most: number): Taken =>
  text.length > most ? { text: text.slice(0, most), isCut: true } : { text, isCut: false }

/**
 * Returns the same answer, and calls `taken` once with up to `most` characters of its text: JSON and event streams, also
 * those that the client left. Other content types are ignored.
 */
export const readAlong = (answer: Response, most: number, taken: (answer: Taken) => void): Response => {
  const type = answer.headers.get("content-type") ?? ""
  if (type.startsWith("application/json")) {
    void answer
      .clone()
      .text()
      .then(
        (text) => taken(cutAt(text, most)),
        () => {}
      )
    return answer
  }
  if (!type.startsWith("text/event-stream") || answer.body === null) return answer
  const decoder = new TextDecoder()
  let text = ""
  let isCut = false
  let isReported = false
  const report = () => {
    if (isReported) return
    isReported = true
    taken({ text, isCut })
  }
  const body: ReadableStream<Uint8Array> = answer.body
  const reader = body.getReader()
  const along = new ReadableStream<Uint8Array>({
    pull: async (to) => {
      const { done, value } = await reader.read().catch((error: unknown) => {
        report()
        throw error
      })
      if (done) {
        report()
        return to.close()
      }
      if (!isCut) {
        text += decoder.decode(value, { stream: true })
        if (text.length > most) {
          text = text.slice(0, most)
          isCut = true
        }
      }
      to.enqueue(value)
    },
    cancel: (reason) => {
      report()
      return reader.cancel(reason)
    }
  })
  return new Response(along, { status: answer.status, headers: answer.headers })
}
