import type { VideoTaskRecord } from "../../src/videos/VideoTaskRecord.ts"
import type { App } from "../app.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { words } from "../words/words.ts"

const text = words.task

/** A finished video: played if it is the gateway's own file, otherwise a link to the upstream. */
export const film = (app: App, video: VideoTaskRecord): Child => {
  const url = video.content?.video_url
  if (url === undefined) return null
  const places = placesOf(url, app.session.public_url)
  if (places.length === 0) {
    return h(
      "p",
      { class: "hint" },
      text.elsewhere,
      " ",
      // An upstream's link may be any text.
      /^https?:/.test(url) && h("a", { href: url, target: "_blank", rel: "noreferrer" }, text.open)
    )
  }
  const gone = h("p", { class: "note", hidden: true }, text.expired)
  let at = 0
  const player = h("video", {
    src: places[0] ?? "",
    controls: true,
    preload: "metadata",
    playsinline: true,
    "aria-label": text.video,
    on: {
      error() {
        at += 1
        const next = places[at]
        if (next !== undefined) {
          player.src = next
          return
        }
        player.hidden = true
        gone.hidden = false
      }
    }
  })
  return [player, gone, h("p", { class: "hint" }, h("a", { href: places[0] ?? url, download: "" }, text.download))]
}

/**
 * The addresses of a gateway's own file: at the page's origin, otherwise at the public URL, which the page's policy
 * allows. None for other files.
 */
const placesOf = (url: string, publicUrl: string): ReadonlyArray<string> => {
  const isPublic = url.startsWith(`${publicUrl}/`)
  if (!isPublic && !url.startsWith(`${location.origin}/`)) return []
  const here = isPublic ? url.slice(publicUrl.length) : url.slice(location.origin.length)
  return [...new Set([location.origin + here, url])]
}
