import { encode } from "./encode.ts"
import type { Clip, Scene } from "./scene.ts"

/** What the renderer's thread answers to a scene. */
export type Rendered = { readonly clip: Clip } | { readonly failed: string }

// The renderer's thread: one scene in, one clip out. The clip's bytes change hands, they aren't copied.
self.addEventListener("message", (event: MessageEvent<Scene>) => {
  encode(event.data).then(
    (clip) => answer({ clip }, [clip.video.buffer, ...(clip.lastFrame === null ? [] : [clip.lastFrame.buffer])]),
    (cause: unknown) => answer({ failed: String(cause) }, [])
  )
})

const answer = (rendered: Rendered, hand: ReadonlyArray<ArrayBufferLike>) =>
  self.postMessage(rendered, { transfer: hand.filter((buffer) => buffer instanceof ArrayBuffer) })
