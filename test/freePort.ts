const [first, count] = [20_000, 12_000]

/**
 * A free port of this machine, below those the kernel gives out (32,768 and up): no outgoing connection and no server on
 * port 0 takes it before its owner does.
 */
export const freePort = (): number => {
  for (let tries = 0; tries < 100; tries++) {
    const port = first + Math.floor(Math.random() * count)
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true)
      return port
    } catch {
      // Another process listens there.
    }
  }
  throw new Error(`no port is free from ${first} to ${first + count}`)
}
