import { encode } from "./encode.ts"
import type { Clip, Scene } from "./scene.ts"

/** The renderer thread's answer to a scene. */
export type Rendered = { readonly clip: Clip } | { readonly failed: string }

// One scene in, one clip out. The clip's bytes are transferred, not copied.
self.addEventListener("message", (event: MessageEvent<Scene>) => {
  encode(event.data).then(
    (clip) => answer({ clip }, [clip.video.buffer, ...(clip.lastFrame === null ? [] : [clip.lastFrame.buffer])]),
    (cause: unknown) => answer({ failed: String(cause) }, [])
  )
})

const answer = (rendered: Rendered, hand: ReadonlyArray<ArrayBufferLike>) =>
  self.postMessage(rendered, { transfer: hand.filter((buffer) => buffer instanceof ArrayBuffer) })
