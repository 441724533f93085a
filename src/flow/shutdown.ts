/** Work that ends with the gateway. */
export interface ShutdownListener {
  readonly handleEvent: () => void
  /** Its index in the list of listeners, maintained here; -1 if it is not listed. */
  shutdownPlace: number
}

/*
 * Thousands of requests and streams listen to one signal, and the platform searches its list of listeners for each that
 * leaves. Here the last listener takes the place of the one that leaves. (A long-lived `Set` keeps deleted entries
 * alive until a full collection.)
 */
const listening = new WeakMap<AbortSignal, Array<ShutdownListener>>()

/** Calls the listener when the signal fires, unless it is removed before. */
export const onShutdown = (signal: AbortSignal, listener: ShutdownListener): void => {
  let listeners = listening.get(signal)
  if (listeners === undefined) {
    const all: Array<ShutdownListener> = (listeners = [])
    listening.set(signal, all)
    signal.addEventListener("abort", () => {
      // A copy, because listeners leave while they are called.
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
