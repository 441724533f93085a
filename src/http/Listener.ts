import type { Certificate } from "./Certificate.ts"
import type { Socket } from "./Socket.ts"

type Server = Bun.Server<Socket>

export type Listen = (port: number, certificate: Certificate | undefined) => Server

/**
 * One listening address, served by a sequence of Bun servers, since a Bun server can't change its certificate. A new
 * server accepts new connections; earlier ones keep theirs until the clients leave.
 */
export class Listener {
  readonly #listen: Listen
  #server: Server
  readonly #former = new Set<Server>()
  /** Kept, because a stopped server no longer has them. */
  readonly #port: number
  readonly #url: URL
  #certificate: Certificate | undefined
  #isPaused = false

  constructor(listen: Listen, port: number, certificate: Certificate | undefined) {
    this.#listen = listen
    this.#server = listen(port, certificate)
    this.#port = this.#server.port ?? port
    this.#url = this.#server.url
    this.#certificate = certificate
  }

  get url(): URL {
    return this.#url
  }

  /** Requests without an answer yet. */
  get pendingRequests(): number {
    return [...new Set([...this.#former, this.#server])].reduce((sum, server) => sum + server.pendingRequests, 0)
  }

  /**
   * Switches to another certificate. Connections are refused for the moment between two servers. If no server starts with
   * the new certificate, throws and goes on with the former one.
   */
  renew(certificate: Certificate): void {
    this.#retire()
    try {
      this.#server = this.#listen(this.#port, certificate)
      this.#certificate = certificate
    } catch (cause) {
      this.#server = this.#listen(this.#port, this.#certificate)
      throw cause
    }
    this.#isPaused = false
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Accepts no new connections until `resume`, and closes idle ones. */
  pause(): void {
    if (this.#isPaused) return
    this.#retire()
    this.#isPaused = true
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#server = this.#listen(this.#port, this.#certificate)
    this.#isPaused = false
  }

  /** Closes connections that wait for another request. */
  closeIdle(): void {
    for (const server of [this.#server, ...this.#former]) server.closeIdleConnections()
  }

  #retire(): void {
    const former = this.#server
    if (this.#former.has(former)) return
    this.#former.add(former)
    void former.stop().then(() => this.#former.delete(former))
  }

  /** Stops listening and closes idle connections. Running requests go on. */
  close(): void {
    void this.#server.stop()
  }

  /** Stops everything, including running requests. */
  async stop(): Promise<void> {
    await Promise.all([this.#server, ...this.#former].map((server) => server.stop(true)))
  }
}
