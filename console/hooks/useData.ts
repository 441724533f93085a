import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { isNotFound } from "../client.ts"
import type { Changed } from "../live.ts"
import { useApp } from "./useApp.ts"

export interface Failure {
  readonly error: unknown
  /** How often it was tried in a row. */
  readonly tries: number
  /** Seconds until the next try; undefined if there is none. */
  readonly inSeconds: number | undefined
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
  /**
   * Values that `load` depends on: others begin anew, without the earlier answer. Of a record its id, so that nothing is asked
   * about one that this page deletes.
   */
  readonly by?: ReadonlyArray<unknown>
  /** Changes at the gateway after which it is loaded again. */
  readonly on?: ReadonlyArray<Changed["what"]>
  /** The record may be stored a moment later: a 404 is tried again. */
  readonly mayCome?: boolean
}

type State<A> = Pick<Data<A>, "failure" | "value">
const nothing = { value: undefined, failure: undefined }

/** The longest time between tries, in seconds. */
const longestPause = 60

interface Loading<A> {
  readonly load: () => Promise<A>
  readonly show: (state: State<A>) => void
  /** The deletion of what is loaded, if there is one: whether it succeeds. */
  readonly deletion: () => Promise<boolean> | undefined
  readonly mayCome: boolean
}

/**
 * Loads, and after a failure tries again with a growing pause. One call runs at a time; the last wish wins. What is not there is
 * not tried again, and changes load nothing of what was there and is gone.
 */
const makeLoader = <A>({ deletion, load, mayCome, show }: Loading<A>) => {
  let isClosed = false
  let wasThere = false
  let isGone = false
  let running: Promise<void> | undefined
  let isWanted = false
  let tries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const once = async () => {
    clearTimeout(timer)
    const deleted = deletion()
    if (deleted !== undefined && (await deleted)) {
      isGone = true
      return
    }
    try {
      const value = await load()
      tries = 0
      wasThere = true
      isGone = false
      if (!isClosed) show({ value, failure: undefined })
    } catch (error) {
      if (isClosed) return
      tries += 1
      const isMissing = isNotFound(error) && !mayCome
      isGone = isMissing && wasThere
      const inSeconds = isMissing ? undefined : Math.min(longestPause, 2 ** (tries + 1))
      show({ value: undefined, failure: { error, tries, inSeconds } })
      if (inSeconds !== undefined) timer = setTimeout(() => void run(), inSeconds * 1_000)
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
  /** Something has changed at the gateway. */
  const changed = () => {
    if (!isGone) void run()
  }
  const close = () => {
    isClosed = true
    clearTimeout(timer)
  }
  return { run, changed, close }
}

/**
 * Data from the gateway: loaded when the component is shown, again when `by` changes, after changes that `on` names, and
 * after failures.
 */
export const useData = <A>(load: () => Promise<A>, { by = [], mayCome = false, on = [] }: Options = {}): Data<A> => {
  const { deletions, live } = useApp()
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
      ...makeLoader({
        load: () => latest.current(),
        show: (state) => setShown({ state, of: mine }),
        deletion: () => deletions.ofAny(by),
        mayCome
      })
    }
  }, by)
  useEffect(() => {
    void loader.run()
    const stop = live.onChange(({ what }) => {
      if (on.includes(what)) loader.changed()
    })
    return () => {
      stop()
      loader.close()
    }
  }, [loader])
  return { ...(shown.of === loader.mine ? shown.state : nothing), again: loader.run }
}
