import type { Socket, TCPSocketListener } from "bun"

/** Where in a connection's life it goes wrong: once it is open, at its handshake, at the first command, at a later one. */
export type Step = "open" | "handshake" | "probe" | "request"
/** What goes wrong there. */
export type Fault = "silence" | "close" | "loading" | "password" | "garbage" | "cut"

export const steps: ReadonlyArray<Step> = ["open", "handshake", "probe", "request"]
export const faults: ReadonlyArray<Fault> = ["silence", "close", "loading", "password", "garbage", "cut"]

interface Connection {
  commands: number
}

/** A server that speaks as much of Redis as counting requests takes, and misbehaves for as long as it is told to. */
export class FakeRedis {
  wrong: { readonly step: Step; readonly fault: Fault } | undefined
  /** How often it has misbehaved. */
  wrongs = 0
  readonly #server: TCPSocketListener<Connection>

  constructor() {
    this.#server = Bun.listen<Connection>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => {
          socket.data = { commands: 0 }
          this.#goesWrong(socket, "open")
        },
        data: (socket, bytes) => {
          for (const command of bytes.toString().split(/(?=\*\d+\r\n)/)) this.#answer(socket, command)
        }
      }
    })
  }

  get url(): string {
    return `redis://:secret@127.0.0.1:${this.#server.port}`
  }

  stop(): void {
    this.#server.stop(true)
  }

  #answer(socket: Socket<Connection>, command: string): void {
    if (/HELLO/.test(command)) {
      if (this.#goesWrong(socket, "open") || this.#goesWrong(socket, "handshake")) return
      socket.write("%1\r\n$5\r\nproto\r\n:3\r\n")
      return
    }
    const step = socket.data.commands++ === 0 ? "probe" : "request"
    if (this.#goesWrong(socket, step)) return
    socket.write(`*2\r\n:1\r\n:${Date.now()}\r\n`)
  }

  #goesWrong(socket: Socket<Connection>, at: Step): boolean {
    if (this.wrong?.step !== at) return false
    this.wrongs++
    switch (this.wrong.fault) {
      case "silence":
        break
      case "close":
        socket.end()
        break
      case "loading":
        socket.write("-LOADING Redis is loading the dataset in memory\r\n")
        break
      case "password":
        socket.write("-WRONGPASS invalid username-password pair or user is disabled.\r\n")
        break
      case "garbage":
        socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        break
      case "cut":
        socket.write("*2\r\n:1\r\n$40\r\nhal")
        socket.end()
    }
    return true
  }
}
