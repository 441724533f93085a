/** The environment of the programs that find credentials. */
export interface Source {
  readonly env: NodeJS.ProcessEnv
  /** Calls a token service: by the upstream's proxy, within a time limit. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Calls a metadata server, whose address is local to the machine: never by a proxy. */
  readonly fetchLocally: (url: string, init: RequestInit) => Promise<Response>
  /** In ms since 1970. */
  readonly now: () => number
}
