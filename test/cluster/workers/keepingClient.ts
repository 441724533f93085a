import { connect } from "node:net"
import type { Socket } from "node:net"

/** What a client that keeps its connection has seen. */
export interface Seen {
  answers: number
  /** 502s after which it asked once more, where it does. */
  askedAgain: number
  readonly failures: Array<string>
}

/** Asks one request after the other on one connection, and opens another only where it was told that this one ends. */
export class KeepingClient {
  readonly seen: Seen = { answers: 0, askedAgain: 0, failures: [] }
  #isOver = false
  readonly #port: number
  readonly #request: string
  readonly #repeats: boolean

  /** @param repeats true to ask once more after a 502, as the official clients do; it never tries again otherwise */
  constructor(port: number, path: string, headers: Readonly<Record<string, string>>, body: string, repeats = false) {
    this.#port = port
    this.#repeats = repeats
    const lines = Object.entries({ host: "127.0.0.1", ...headers, "content-length": Buffer.byteLength(body) })
    this.#request = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`
  }

  stop(): void {
    this.#isOver = true
  }

  async run(): Promise<Seen> {
    let socket: Socket | undefined
    while (!this.#isOver) {
      try {
        socket ??= await opened(this.#port)
        let head = await answered(socket, this.#request)
        if (this.#repeats && head.startsWith("HTTP/1.1 502 ")) {
          this.seen.askedAgain++
          head = await answered(socket, this.#request)
        }
        if (!head.startsWith("HTTP/1.1 200 ")) this.seen.failures.push(head.split("\r\n")[0] ?? "")
        this.seen.answers++
        if (/\r\nconnection: close\r\n/i.test(head)) {
          socket.destroy()
          socket = undefined
        }
      } catch (error) {
        this.seen.failures.push(String(error))
        socket?.destroy()
        socket = undefined
      }
    }
    socket?.destroy()
    return this.seen
  }
}

const opened = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.off("error", reject)
      resolve(socket)
    })
    socket.once("error", reject)
  })

/** Sends a request. Answers the head of what comes back, once all of it is there. */
const answered = (socket: Socket, request: string) =>
  new Promise<string>((resolve, reject) => {
    let text = ""
    const done = (end: () => void) => {
      socket.off("data", heard)
      socket.off("close", closed)
      socket.off("error", failed)
      end()
    }
    const heard = (data: Buffer) => {
      text += data.toString("latin1")
      const end = text.indexOf("\r\n\r\n")
      if (end === -1) return
      const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1])
      if (text.length >= end + 4 + length) done(() => resolve(text.slice(0, end + 4)))
    }
    const closed = () => done(() => reject(new Error(`closed after ${text.length} bytes`)))
    const failed = (error: Error) => done(() => reject(error))
    socket.on("data", heard)
    socket.on("close", closed)
    socket.on("error", failed)
    socket.write(request)
  })
