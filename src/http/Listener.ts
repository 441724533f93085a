import type { Certificate } from "./Certificate.ts"
import type { Socket } from "./Socket.ts"

type Server = Bun.Server<Socket>

/** Begins to listen. */
export type Listen = (port: number, certificate: Certificate | undefined) => Server

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

  /** Stops listening and closes idle connections. Requests under way go on. */
  close(): void {
    void this.#server.stop()
  }

  /** Stops everything, whatever still runs. */
  async stop(): Promise<void> {
    await Promise.all([this.#server, ...this.#former].map((server) => server.stop(true)))
  }
}
