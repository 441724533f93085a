import type { Socket, TCPSocketListener } from "bun"

/** A gateway behind the balancer. */
interface Backend {
  readonly port: number
  isUp: boolean
  readonly open: Set<Pair>
}

/** A client's connection and ours to the backend; bytes wait where the other side takes none. */
interface Pair {
  client: Socket<Side>
  server: Socket<Side> | undefined
  waiting: Array<Uint8Array>
}

interface Side {
  pair: Pair | undefined
  readonly unsent: Array<Uint8Array>
}

export interface Balancer {
  readonly url: string
  /** Takes a gateway in; answers what takes it out again. */
  readonly add: (url: string) => () => void
  readonly stop: () => void
}

/** How often each gateway is asked whether it is ready, and how long it may take to say so, in ms. */
const lookEvery = 300
const patience = 1_000

/**
 * A balancer of TCP connections, as they stand in front of many machines: in turn, to those whose `/readyz` says 200. The
 * connections of one that does not answer any more are cut, as its clients' requests would hang for ever.
 *
 * @param isBlind true for one without checks and second tries, as the rules of a Kubernetes Service are: it sends
 * to those that were added until they are taken out
 */
export const startBalancer = (isBlind = false): Balancer => {
  const backends = new Set<Backend>()
  let next = 0

  const close = (pair: Pair) => {
    pair.client.end()
    pair.server?.end()
  }

  const cut = (backend: Backend) => {
    for (const pair of backend.open) {
      pair.client.terminate()
      pair.server?.terminate()
    }
    backend.open.clear()
  }

  const send = (to: Socket<Side>, bytes: Uint8Array) => {
    const { unsent } = to.data
    if (unsent.length > 0) return void unsent.push(bytes.slice())
    const written = Math.max(0, to.write(bytes))
    if (written < bytes.length) unsent.push(bytes.slice(written))
  }

  const drain = (to: Socket<Side>) => {
    const { unsent } = to.data
    while (unsent.length > 0) {
      const [first] = unsent
      if (first === undefined) return
      const written = Math.max(0, to.write(first))
      if (written < first.length) {
        unsent[0] = first.subarray(written)
        return
      }
      unsent.shift()
    }
  }

  const connect = async (pair: Pair, tries = backends.size): Promise<void> => {
    const up = [...backends].filter(({ isUp }) => isUp)
    const backend = up[next++ % Math.max(1, up.length)]
    if (backend === undefined) return pair.client.terminate()
    try {
      const server = await Bun.connect<Side>({
        hostname: "127.0.0.1",
        port: backend.port,
        data: { pair, unsent: [] },
        socket: {
          data: (_, bytes) => send(pair.client, bytes),
          drain,
          close: () => {
            backend.open.delete(pair)
            pair.client.end()
          },
          error: () => void pair.client.end()
        }
      })
      pair.server = server
      backend.open.add(pair)
      for (const bytes of pair.waiting.splice(0)) send(server, bytes)
    } catch {
      if (isBlind) return pair.client.terminate()
      backend.isUp = false
      if (tries > 1) return connect(pair, tries - 1)
      pair.client.terminate()
    }
  }

  const listener: TCPSocketListener<Side> = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (client) => {
        const pair: Pair = { client, server: undefined, waiting: [] }
        client.data = { pair, unsent: [] }
        void connect(pair)
      },
      data: (client, bytes) => {
        const { pair } = client.data
        if (pair?.server === undefined) pair?.waiting.push(bytes.slice())
        else send(pair.server, bytes)
      },
      drain,
      close: (client) => {
        if (client.data.pair !== undefined) close(client.data.pair)
      },
      error: () => {}
    }
  })

  const look = async (backend: Backend, url: string) => {
    const isUp = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(patience) }).then(
      ({ status }) => status === 200,
      () => false
    )
    if (backend.isUp && !isUp) {
      backend.isUp = false
      // One that drains is asked no more and ends what it has; one that says nothing is gone.
      const isThere = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(patience) }).then(
        () => true,
        () => false
      )
      if (!isThere) cut(backend)
    } else backend.isUp = isUp
  }

  return {
    url: `http://127.0.0.1:${listener.port}`,
    add: (url) => {
      const backend: Backend = { port: Number(new URL(url).port), isUp: true, open: new Set() }
      backends.add(backend)
      const looking = isBlind ? undefined : setInterval(() => void look(backend, url), lookEvery)
      return () => {
        clearInterval(looking)
        backends.delete(backend)
      }
    },
    stop: () => listener.stop(true)
  }
}
