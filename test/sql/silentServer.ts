import { connect, createServer } from "node:net"
import type { Socket } from "node:net"

/** A way to a server that can fall silent: connections stay, and nothing comes through any more in either direction. */
export const silenceable = async (port: number) => {
  const sockets = new Set<Socket>()
  let silent = false
  let swallows = false
  let refuses = false
  const proxy = createServer((client) => {
    if (refuses) {
      client.destroy()
      return
    }
    const server = connect(port, "127.0.0.1")
    for (const [from, to] of [
      [client, server],
      [server, client]
    ] as const) {
      sockets.add(from)
      from.on("data", (bytes) => {
        if (!silent && !(swallows && from === server)) to.write(bytes)
      })
      from.on("error", () => {})
      from.on("close", () => {
        sockets.delete(from)
        if (!silent) to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  const address = proxy.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    fallSilent: () => {
      silent = true
    },
    /** What is asked arrives, what is answered does not. */
    swallowAnswers: () => {
      swallows = true
    },
    /** Ends all connections, and every one that comes until what is answered is called. */
    refuse: () => {
      refuses = true
      silent = false
      swallows = false
      for (const socket of sockets) socket.destroy()
      return () => {
        refuses = false
      }
    },
    /** Connections of before are gone. */
    speakAgain: () => {
      silent = false
      swallows = false
      for (const socket of sockets) socket.destroy()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    }
  }
}
