/** Callbacks of a recording. */
interface Ends {
  /** The answer is complete: the source only needs to be drained. */
  readonly isComplete: () => boolean
  /** The stream has ended, with its bytes, or undefined if it was too long. Readers see the end after the promise. */
  readonly ended: (bytes: Uint8Array<ArrayBuffer> | undefined) => Promise<void>
  /** Called once, at any end. */
  readonly over: () => void
}

/** A stream that any number of readers read from its beginning, each at its own pace. */
export interface Recording {
  /** Its beginning is still available. */
  readonly isWhole: () => boolean
  /** @param left called when the reader reaches the end or leaves */
  readonly read: (left: () => void) => ReadableStream<Uint8Array>
  /** Called when the last reader has left. */
  readonly cancel: () => void
}

/**
 * Records a stream while it is read; the fastest reader pulls. Beyond `limitBytes` only the last part is kept: there are
 * no new readers, and a reader that falls behind is cut off.
 */
export const record = (stream: ReadableStream<Uint8Array>, limitBytes: number, ends: Ends): Recording => {
  const source = stream.getReader()
  const chunks: Array<Uint8Array> = []
  /** Number of chunks dropped from the beginning. */
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
    fail(new Error("the client stopped reading the stream"))
    // Rejects if the stream has just ended.
    source.cancel().catch(() => {})
  }

  return { isWhole, read, cancel }
}
