import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { words } from "../words/words.ts"
import { IconButton } from "./Button.tsx"

/** A drawer beside the list, which stays usable; a column of its own on wide screens. */
export const Drawer = ({
  children,
  close,
  id,
  step,
  title
}: {
  /** The shown record: another one begins at the top. */
  readonly id: string
  readonly title: ComponentChildren
  readonly children: ComponentChildren
  readonly close: () => void
  /** Moves to the next or the previous row. */
  readonly step: (by: 1 | -1) => void
}) => {
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const main = document.querySelector("#main")
    main?.classList.add("with-drawer")
    return () => main?.classList.remove("with-drawer")
  }, [])
  useLayoutEffect(() => {
    if (body.current !== null) body.current.scrollTop = 0
  }, [id])
  return (
    <section class="drawer" aria-labelledby="drawer-title">
      <header>
        <h2 id="drawer-title">{title}</h2>
        <span class="grow" />
        <IconButton name="up" label={words.drawer.before} onClick={() => step(-1)} />
        <IconButton name="down" label={words.drawer.next} onClick={() => step(1)} />
        <IconButton name="close" label={words.drawer.close} onClick={close} />
      </header>
      <div ref={body} class="drawer-body" tabIndex={0} role="group" aria-labelledby="drawer-title">
        {children}
      </div>
    </section>
  )
}
