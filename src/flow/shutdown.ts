/** Somebody with work that ends when the gateway does. */
export interface ShutdownListener {
  readonly handleEvent: () => void
  /** Where it stands among those who listen, which is written here; -1 while it does not. */
  shutdownPlace: number
}

/*
 * Thousands of requests and streams wait for the one signal: the platform's own list of listeners is gone through for
 * each of them that leaves. And a `Set` that lives long keeps alive what was deleted from it until a full collection: who
 * leaves a list gives its place to the last.
 */
const listening = new WeakMap<AbortSignal, Array<ShutdownListener>>()

/** Has it told once the signal fires, until it leaves. */
export const onShutdown = (signal: AbortSignal, listener: ShutdownListener): void => {
  let listeners = listening.get(signal)
  if (listeners === undefined) {
    const all: Array<ShutdownListener> = (listeners = [])
    listening.set(signal, all)
    signal.addEventListener("abort", () => {
      // They leave while they are told.
      const those = all.slice()
      for (const one of those) if (one.shutdownPlace !== -1) one.handleEvent()
    })
  }
  if (listener.shutdownPlace === -1) listener.shutdownPlace = listeners.push(listener) - 1
}

export const offShutdown = (signal: AbortSignal, listener: ShutdownListener): void => {
  const place = listener.shutdownPlace
  const listeners = listening.get(signal)
  if (place === -1 || listeners === undefined) return
  listener.shutdownPlace = -1
  const last = listeners.pop()
  if (last === undefined || last === listener) return
  listeners[place] = last
  last.shutdownPlace = place
}
