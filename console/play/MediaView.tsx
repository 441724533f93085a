import { words } from "../words/words.ts"
import type { Media } from "./exchange.ts"

const text = words.playground

/** Pictures and sound of an answer. The page's policy shows no pictures of other addresses: those are links. */
export const MediaView = ({ media }: { readonly media: ReadonlyArray<Media> }) => (
  <>
    {media.map(({ kind, url }, at) => {
      if (!url.startsWith("data:")) {
        return (
          // An upstream's link may be any text.
          /^https?:/.test(url) && (
            <p key={at}>
              <a href={url} target="_blank" rel="noreferrer">
                {text.openImage}
              </a>
            </p>
          )
        )
      }
      return (
        <figure key={at}>
          {kind === "image" ? (
            <img src={url} alt={text.image(at + 1)} />
          ) : (
            <audio src={url} controls aria-label={text.sound} />
          )}
          <figcaption class="hint">
            <a href={url} download="">
              {text.download}
            </a>
          </figcaption>
        </figure>
      )
    })}
  </>
)
