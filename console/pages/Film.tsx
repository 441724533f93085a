import { useState } from "preact/hooks"
import { ownUrl } from "../address.ts"
import { useApp } from "../hooks/useApp.ts"
import { words } from "../words/words.ts"

const text = words.task

/** A finished video: played if it is the gateway's own file, otherwise a link to the upstream. */
export const Film = ({ url }: { readonly url: string }) => {
  const { session } = useApp()
  const [places] = useState(() => placesOf(url, session.public_url))
  const [at, setAt] = useState(0)
  if (places.length === 0) {
    return (
      <p class="hint">
        {text.elsewhere} {/* An upstream's link may be any text. */}
        {/^https?:/.test(url) && (
          <a href={url} target="_blank" rel="noreferrer">
            {text.open}
          </a>
        )}
      </p>
    )
  }
  const place = places[at]
  return (
    <>
      {place === undefined ? (
        <p class="note">{text.expired}</p>
      ) : (
        <video
          src={place}
          controls
          preload="metadata"
          playsInline
          aria-label={text.video}
          onError={() => setAt(at + 1)}
        />
      )}
      <p class="hint">
        <a href={places[0] ?? url} download="">
          {text.download}
        </a>
      </p>
    </>
  )
}

/**
 * The addresses of a gateway's own file: at the page's origin, otherwise at the public URL, which the page's policy
 * allows. None for other files.
 */
const placesOf = (url: string, publicUrl: string): ReadonlyArray<string> => {
  const isPublic = url.startsWith(`${publicUrl}/`)
  if (!isPublic && !url.startsWith(`${ownUrl}/`)) return []
  const here = isPublic ? url.slice(publicUrl.length) : url.slice(ownUrl.length)
  return [...new Set([ownUrl + here, url])]
}
