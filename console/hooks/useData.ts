import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Changed } from "../live.ts"
import { useApp } from "./useApp.ts"

export interface Failure {
  readonly error: unknown
  /** How often it was tried in a row. */
  readonly tries: number
  /** Seconds until the next try. */
  readonly inSeconds: number
}

/** Data of the gateway, as a component sees it. */
export interface Data<A> {
  /** Undefined until the first answer; while it is loaded again, the last one. */
  readonly value: A | undefined
  readonly failure: Failure | undefined
  /** Loads it again now; resolves when the answer is there. */
  readonly again: () => Promise<void>
}

interface Options {
  /** Values that `load` depends on: others begin anew, without the earlier answer. */
  readonly by?: ReadonlyArray<unknown>
  /** Changes at the gateway after which it is loaded again. */
  readonly on?: ReadonlyArray<Changed["what"]>
}

type State<A> = Pick<Data<A>, "failure" | "value">
const nothing = { value: undefined, failure: undefined }

/** The longest time between tries, in seconds. */
const longestPause = 60

/** Loads, and after a failure tries again with a growing pause. One call runs at a time; the last wish wins. */
const makeLoader = <A>(load: () => Promise<A>, show: (state: State<A>) => void) => {
  let isClosed = false
  let running: Promise<void> | undefined
  let isWanted = false
  let tries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const once = async () => {
    clearTimeout(timer)
    try {
      const value = await load()
      tries = 0
      if (!isClosed) show({ value, failure: undefined })
    } catch (error) {
      if (isClosed) return
      tries += 1
      const inSeconds = Math.min(longestPause, 2 ** (tries + 1))
      show({ value: undefined, failure: { error, tries, inSeconds } })
      timer = setTimeout(() => void run(), inSeconds * 1_000)
    }
  }
  const all = async () => {
    do {
      isWanted = false
      await once()
    } while (isWanted && !isClosed)
    running = undefined
  }
  const run = (): Promise<void> => {
    if (isClosed) return Promise.resolve()
    isWanted = true
    return (running ??= all())
  }
  const close = () => {
    isClosed = true
    clearTimeout(timer)
  }
  return { run, close }
}

/**
 * Data from the gateway: loaded when the component is shown, again when `by` changes, after changes that `on` names, and
 * after failures.
 */
export const useData = <A>(load: () => Promise<A>, { by = [], on = [] }: Options = {}): Data<A> => {
  const { live } = useApp()
  const latest = useRef(load)
  latest.current = load
  const [shown, setShown] = useState<{ readonly state: State<A>; readonly of: object | undefined }>({
    state: nothing,
    of: undefined
  })
  const loader = useMemo(() => {
    const mine = {}
    return {
      mine,
      ...makeLoader(
        () => latest.current(),
        (state) => setShown({ state, of: mine })
      )
    }
  }, by)
  useEffect(() => {
    void loader.run()
    const stop = live.onChange(({ what }) => {
      if (on.includes(what)) void loader.run()
    })
    return () => {
      stop()
      loader.close()
    }
  }, [loader])
  return { ...(shown.of === loader.mine ? shown.state : nothing), again: loader.run }
}
