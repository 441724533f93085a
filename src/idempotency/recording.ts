/** What a recording asks and tells whoever started it. */
interface Ends {
  /** Whether all has been said: the source only has to be read to its end. */
  readonly isComplete: () => boolean
  /** The stream has come to its end. Waited for before its readers hear of that; undefined: it was too long to keep. */
  readonly ended: (bytes: Uint8Array<ArrayBuffer> | undefined) => Promise<void>
  /** It is over, however; called once. */
  readonly over: () => void
}

/** A stream that any number of readers read from its beginning, each at its own pace. */
export interface Recording {
  /** Whether its beginning is still here. */
  readonly isWhole: () => boolean
  /** @param left called when the reader has come to the end, or has gone */
  readonly read: (left: () => void) => ReadableStream<Uint8Array>
  /** Nobody reads any more. */
  readonly cancel: () => void
}

/**
 * Records a stream while it is read: whichever reader is furthest asks for more. Of one longer than `limitBytes` only the
 * last part is kept: nobody can begin to read it any more, and a reader who falls behind that part is cut.
 */
export const record = (stream: ReadableStream<Uint8Array>, limitBytes: number, ends: Ends): Recording => {
  const source = stream.getReader()
  const chunks: Array<Uint8Array> = []
  /** Chunks that are no longer kept. */
  let dropped = 0
  let bytes = 0
  let state: "open" | "done" | "failed" = "open"
  let failure: unknown
  let asking: Promise<void> | undefined

  const isWhole = () => dropped === 0 && bytes <= limitBytes

  const fail = (cause: unknown) => {
    state = "failed"
    failure = cause
    ends.over()
  }

  const add = (chunk: Uint8Array) => {
    chunks.push(chunk)
    bytes += chunk.byteLength
    while (bytes > limitBytes && chunks.length > 1) {
      bytes -= chunks.shift()?.byteLength ?? 0
      dropped++
    }
  }

  const ask = async () => {
    try {
      const { done, value } = await source.read()
      if (state !== "open") return
      if (!done) return add(value)
      await ends.ended(isWhole() ? Buffer.concat(chunks) : undefined)
      state = "done"
      ends.over()
    } catch (cause) {
      if (state === "open") fail(cause)
    }
  }

  const more = () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  const read = (left: () => void): ReadableStream<Uint8Array> => {
    let at = 0
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          while (at === dropped + chunks.length && state === "open") await more()
          const chunk = at < dropped ? undefined : chunks[at - dropped]
          if (chunk !== undefined) {
            at++
            controller.enqueue(chunk)
            return
          }
          left()
          if (at < dropped) controller.error(new Error("the reader fell behind"))
          else if (state === "done") controller.close()
          else controller.error(failure)
        },
        cancel: left
      },
      { highWaterMark: 0 }
    )
  }

  const drain = async () => {
    while (state === "open") await more()
  }

  const cancel = () => {
    if (state !== "open") return
    if (ends.isComplete()) return void drain()
    fail(new Error("nobody reads the stream"))
    // It may be at its end already.
    source.cancel().catch(() => {})
  }

  return { isWhole, read, cancel }
}
