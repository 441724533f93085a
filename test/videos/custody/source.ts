import net from "node:net"
import type { AddressInfo, Socket } from "node:net"

/** What an upstream's links lead to, down to the bytes of the answers. */
export interface Source {
  readonly port: number
  readonly link: (path: string) => string
  /** How a path is answered from now on. */
  readonly answer: (path: string, how: (socket: Socket) => void) => void
  /** Paths that were asked for, in order. */
  readonly asked: Array<string>
  /** Connections that are open. */
  readonly open: () => number
  readonly stop: () => void
}

export const startSource = async (): Promise<Source> => {
  const answers = new Map<string, (socket: Socket) => void>()
  const asked: Array<string> = []
  const sockets = new Set<Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    socket.once("data", (head) => {
      const path = head.toString().split(" ")[1] ?? ""
      asked.push(path)
      answers.get(path.split("?")[0] ?? "")?.(socket)
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    link: (path) => `http://127.0.0.1:${port}${path}`,
    answer: (path, how) => void answers.set(path, how),
    asked,
    open: () => sockets.size,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

/** The whole of an answer, of the length that it says. */
export const whole =
  (body: Uint8Array, headers = "") =>
  (socket: Socket) => {
    socket.end(Buffer.concat([head(body.length, headers), body]))
  }

/** An answer that says another length than it has, and ends or stays open. */
export const saying =
  (length: number, body: Uint8Array, then: "ends" | "stays open" = "ends") =>
  (socket: Socket) => {
    socket.write(Buffer.concat([head(length), body]))
    if (then === "ends") socket.end()
  }

export const status =
  (line: string, headers = "") =>
  (socket: Socket) => {
    socket.end(`HTTP/1.1 ${line}\r\ncontent-length: 0\r\n${headers}\r\n`)
  }

const head = (length: number, headers = "") =>
  Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n${headers}\r\n`)
