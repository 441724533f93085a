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
  /** Kept, because a stopped server no longer has it. */
  readonly #port: number
  #certificate: Certificate | undefined

  constructor(listen: Listen, port: number, certificate: Certificate | undefined) {
    this.#listen = listen
    this.#server = listen(port, certificate)
    this.#port = this.#server.port ?? port
    this.#certificate = certificate
  }

  get url(): URL {
    return this.#server.url
  }

  /** Requests without an answer yet. */
  get pendingRequests(): number {
    return [...this.#former].reduce((sum, server) => sum + server.pendingRequests, this.#server.pendingRequests)
  }

  /**
   * Switches to another certificate. Connections are refused for the moment between two servers. If no server starts with
   * the new certificate, throws and goes on with the former one.
   */
  renew(certificate: Certificate): void {
    const former = this.#server
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

  /** Stops listening and closes idle connections. Running requests go on. */
  close(): void {
    void this.#server.stop()
  }

  /** Stops everything, including running requests. */
  async stop(): Promise<void> {
    await Promise.all([this.#server, ...this.#former].map((server) => server.stop(true)))
  }
}
