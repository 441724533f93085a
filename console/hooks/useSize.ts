import { useLayoutEffect, useState } from "preact/hooks"

const nothing = { width: 0, height: 0 }

/** The size of an element in pixels, whatever changes it; zero until it is shown. */
export const useSize = (element: { readonly current: HTMLElement | null }) => {
  const [size, setSize] = useState(nothing)
  useLayoutEffect(() => {
    const shown = element.current
    if (shown === null) return
    const measure = () => setSize({ width: shown.clientWidth, height: shown.clientHeight })
    const resized = new ResizeObserver(measure)
    resized.observe(shown)
    measure()
    return () => resized.disconnect()
  }, [element])
  return size
}
