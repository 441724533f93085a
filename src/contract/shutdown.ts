/** Somebody with work that ends when the gateway does. */
export interface ShutdownListener {
  readonly handleEvent: () => void
}

/*
 * Thousands of requests and streams wait for the one signal: the platform's own list of listeners is gone through for
 * each of them that leaves.
 */
const listening = new WeakMap<AbortSignal, Set<ShutdownListener>>()

/** Has it told once the signal fires, until it leaves. */
export const hearShutdown = (signal: AbortSignal, listener: ShutdownListener): void => {
  let listeners = listening.get(signal)
  if (listeners === undefined) {
    const all = (listeners = new Set())
    listening.set(signal, all)
    signal.addEventListener("abort", () => {
      for (const one of all) one.handleEvent()
    })
  }
  listeners.add(listener)
}

export const leaveShutdown = (signal: AbortSignal, listener: ShutdownListener): void => {
  listening.get(signal)?.delete(listener)
}
