import { ptr } from "bun:ffi"
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { libc } from "../flow/libc.ts"

/** The kernel's lists of connections. */
const lists = ["/proc/net/tcp", "/proc/net/tcp6"]
const listening = "0A"
/** `setsockopt`'s levels and names on Linux. */
const level = { socket: 1, tcp: 6 }
const option = { attachFilter: 26, deferAccept: 9 }

/** For the kernel's packet filter: what asks for a connection (SYN without ACK in the flags, byte 13) is dropped. */
const dropsNew: ReadonlyArray<readonly [code: number, ifTrue: number, ifFalse: number, value: number]> = [
  [0x30, 0, 0, 13],
  [0x54, 0, 0, 0x12],
  [0x15, 0, 1, 0x02],
  [0x06, 0, 0, 0],
  [0x06, 0, 0, 0xffffffff]
]

/**
 * The socket that a server of Bun's listens with, which Bun does not show. Whoever just stops to listen cuts connections
 * that are not accepted yet, and Bun has them accepted once they bring their first bytes: a proxy that was held up between
 * its connection and its request has then sent a request that it may not repeat. Only Linux tells of the socket.
 * A connection that was made before {@link acceptAtOnce} and stays silent is accepted within a second of it.
 */
export class ListeningSocket {
  readonly #descriptor: number
  readonly #library: Library
  readonly #nothing: number

  private constructor(descriptor: number, library: Library) {
    this.#descriptor = descriptor
    this.#library = library
    this.#nothing = openSync("/dev/null", "r")
  }

  /** This process's own on a port; undefined where it can't be found, or where there are several. */
  static at(port: number): ListeningSocket | undefined {
    if (process.platform !== "linux") return undefined
    try {
      const links = new Set(inodesAt(port).map((inode) => `socket:[${inode}]`))
      const [found, ...more] = readdirSync("/proc/self/fd").filter((name) => links.has(linkOf(name)))
      if (found === undefined || more.length > 0) return undefined
      const library = open()
      return library === undefined ? undefined : new ListeningSocket(Number(found), library)
    } catch {
      return undefined
    }
  }

  /** From now on connections are accepted as they come. Answers whether they are. */
  acceptAtOnce(): boolean {
    return this.#set(level.tcp, option.deferAccept, new Uint8Array(4))
  }

  /**
   * From now on whoever asks for a connection hears nothing, and asks again after a second, as TCP has it; connections
   * that are half made are completed. Answers whether it is so.
   */
  ignoreNew(): boolean {
    const program = new DataView(new ArrayBuffer(8 * dropsNew.length))
    for (const [index, [code, ifTrue, ifFalse, value]] of dropsNew.entries()) {
      program.setUint16(8 * index, code, true)
      program.setUint8(8 * index + 2, ifTrue)
      program.setUint8(8 * index + 3, ifFalse)
      program.setUint32(8 * index + 4, value, true)
    }
    const filter = new DataView(new ArrayBuffer(16))
    filter.setUint16(0, dropsNew.length, true)
    filter.setBigUint64(8, BigInt(ptr(program)), true)
    return this.#set(level.socket, option.attachFilter, filter)
  }

  /**
   * Nobody listens any more: whoever asks for a connection is refused. Those that were accepted go on, whether they have
   * asked anything or not. Bun closes its descriptor later; until then it is another file's. Answers whether it is so.
   */
  close(): boolean {
    const isClosed = this.#library.dup2(this.#nothing, this.#descriptor) !== -1
    closeSync(this.#nothing)
    return isClosed
  }

  #set(at: number, name: number, value: Uint8Array | DataView): boolean {
    return this.#library.setsockopt(this.#descriptor, at, name, ptr(value), value.byteLength) === 0
  }
}

const linkOf = (descriptor: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ""
  }
}

/** Of all that listen on a port, other processes' too. */
const inodesAt = (port: number): ReadonlyArray<string> => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return lists.flatMap((path) => {
    const inodes: Array<string> = []
    for (const line of contentOf(path).split("\n")) {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/ +/)
      // Behind them come the connections, of which there may be very many.
      if (state !== listening && state !== "st") break
      if (local.endsWith(suffix)) inodes.push(inode)
    }
    return inodes
  })
}

/** Nothing where there is no IPv6, say. */
const contentOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

const open = () =>
  libc({
    dup2: { args: ["i32", "i32"], returns: "i32" },
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" }
  })
type Library = NonNullable<ReturnType<typeof open>>
