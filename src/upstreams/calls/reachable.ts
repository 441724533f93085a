/** True if a connection to an address succeeds in time. Sends nothing. */
export const isReachable = (url: string, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const at = URL.parse(url)
    if (at === null) return resolve(false)
    const timer = setTimeout(() => resolve(false), timeoutMs)
    const settle = (reachable: boolean) => {
      clearTimeout(timer)
      resolve(reachable)
    }
    const port = at.port === "" ? (at.protocol === "https:" ? 443 : 80) : Number(at.port)
    Bun.connect({
      hostname: at.hostname.replaceAll(/[[\]]/g, ""),
      port,
      socket: {
        open: (socket) => {
          settle(true)
          socket.end()
        },
        data: () => {},
        error: () => settle(false),
        connectError: () => settle(false)
      }
    }).catch(() => settle(false))
  })
