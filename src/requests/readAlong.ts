/** A text of at most so many characters. */
export interface Taken {
  readonly text: string
  readonly isCut: boolean
}

export const cutAt = (text: string, most: number): Taken =>
  text.length > most ? { text: text.slice(0, most), isCut: true } : { text, isCut: false }

/**
 * The same answer; `taken` hears once of as much of its text as is kept: whole answers and streams of events, also one
 * that its reader left. Of what is no text it hears nothing.
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
  let isTold = false
  const tell = () => {
    if (isTold) return
    isTold = true
    taken({ text, isCut })
  }
  const body: ReadableStream<Uint8Array> = answer.body
  const reader = body.getReader()
  const along = new ReadableStream<Uint8Array>({
    pull: async (to) => {
      const { done, value } = await reader.read().catch((error: unknown) => {
        tell()
        throw error
      })
      if (done) {
        tell()
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
      tell()
      return reader.cancel(reason)
    }
  })
  return new Response(along, { status: answer.status, headers: answer.headers })
}
