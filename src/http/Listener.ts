import type { Certificate } from "./Certificate.ts"
import { nextTurn, quietMs } from "../flow/eventLoop.ts"
import { ListeningSocket } from "./ListeningSocket.ts"
import type { Socket } from "./Socket.ts"

type Server = Bun.Server<Socket>

/** Begins to listen. */
export type Listen = (port: number, certificate: Certificate | undefined) => Server

/** How long a connection may take from its first packet until it is made, when nobody listens after it, in ms. */
const acceptMs = 300
/** How long nothing came before the listener is closed where it cuts connections, and how long that is waited for, in ms. */
const gapMs = 2
const longestGapMs = 1_000

/** It counts as one only while the loop turns: a process that stood still has not looked who is there. */
const turnMs = 0.5

/**
 * One address that is listened on, by one server of Bun's after the other: a server keeps the certificate it began with.
 * A new one takes over new connections; those of the former ones go on until their clients leave.
 */
export class Listener {
  readonly #listen: Listen
  #server: Server
  readonly #former = new Set<Server>()
  /** A server that was stopped no longer knows it. */
  readonly #port: number
  #certificate: Certificate | undefined
  #socket: ListeningSocket | undefined

  constructor(listen: Listen, port: number, certificate: Certificate | undefined) {
    this.#listen = listen
    this.#server = listen(port, certificate)
    this.#port = this.#server.port ?? port
    this.#certificate = certificate
  }

  get url(): URL {
    return this.#server.url
  }

  /** Requests that are not answered yet. */
  get pendingRequests(): number {
    return [...this.#former].reduce((sum, server) => sum + server.pendingRequests, this.#server.pendingRequests)
  }

  /**
   * Shows another certificate from now on. Between two servers nobody listens: whoever knocks right then knocks again.
   * Throws where none can begin with it: then the former certificate is shown on, if there is room for a server at all.
   */
  renew(certificate: Certificate): void {
    const former = this.#server
    this.#socket = undefined
    if (!this.#former.has(former)) {
      this.#former.add(former)
      void former.stop().then(() => this.#former.delete(former))
    }
    try {
      this.#server = this.#listen(this.#port, certificate)
      this.#certificate = certificate
    } catch (cause) {
      this.#server = this.#listen(this.#port, this.#certificate)
      throw cause
    }
  }

  /** Connections are accepted as they come from now on, so that {@link close} cuts none, where the system lets it be. */
  leave(): void {
    const socket = ListeningSocket.at(this.#port)
    if (socket?.acceptAtOnce() === true) this.#socket = socket
  }

  /**
   * Listens no more. What runs goes on; so do connections that ask nothing, where the system lets them.
   *
   * @param isShared whether other processes listen on the same port: none of their clients is to wait
   */
  async close(isShared: boolean): Promise<void> {
    const socket = this.#socket
    if (socket !== undefined && !isShared && socket.ignoreNew()) {
      // Whoever has connected is accepted meanwhile. Whoever would now is not refused before its next attempt in a second.
      await Bun.sleep(acceptMs)
      await nextTurn()
    } else {
      await gapInRequests()
    }
    if (socket?.close() !== true) this.hangUp()
  }

  /** Closes connections that ask nothing, too. */
  hangUp(): void {
    void this.#server.stop()
  }

  /** Stops all of it, whatever still runs. */
  async stop(): Promise<void> {
    await Promise.all([this.#server, ...this.#former].map((server) => server.stop(true)))
  }
}

/** A moment between requests: whoever has just connected, and whose request is on its way, would be cut. */
const gapInRequests = async (): Promise<void> => {
  const until = performance.now() + longestGapMs
  let before = performance.now()
  let since = before
  while (before - since < gapMs && before < until) {
    await nextTurn()
    const now = performance.now()
    if (now - before > turnMs || quietMs() < now - since) since = now
    before = now
  }
}
