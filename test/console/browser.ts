import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

/** What makes a gateway believe where each browser says that it is. */
export const behindProxy = "server: { trusted_proxies: [127.0.0.0/8, ::1] }\n"

/** A unique address of a network for examples. */
export const anyAddress = (): string => {
  const part = () => Math.floor(Math.random() * 256)
  return `10.${part()}.${part()}.${part()}`
}

/** A gateway that believes a proxy on this machine. */
export const startBehindProxy = (env: Readonly<Record<string, string>>): Promise<GatewayHere> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-proxied-"))
  writeFileSync(join(folder, "gateway.yaml"), behindProxy)
  return startGateway({ env, folder })
}

interface Sent {
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** What a browser keeps of a gateway: its cookie, and the token that its page was told. */
export class Browser {
  readonly #url: string
  readonly #address: string
  cookie = ""
  csrf = ""
  lastSetCookie = ""

  constructor(url: string, address = anyAddress()) {
    this.#url = url
    this.#address = address
  }

  /** As the page sends it; headers that are given are sent instead, empty ones not at all. */
  async send(path: string, { body, headers = {}, method = body === undefined ? "GET" : "POST" }: Sent = {}) {
    const all = {
      cookie: this.cookie,
      "x-gateway-csrf": method === "GET" ? "" : this.csrf,
      "x-forwarded-for": this.#address,
      ...headers
    }
    const answer = await fetch(this.#url + path, {
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    this.lastSetCookie = answer.headers.get("set-cookie") ?? ""
    if (this.lastSetCookie !== "") this.cookie = this.lastSetCookie.split(";")[0] ?? ""
    const text = await answer.text()
    return { status: answer.status, json: text === "" ? undefined : JSON.parse(text), headers: answer.headers }
  }

  async signIn(
    secret: { readonly key: string } | { readonly link: string },
    headers: Readonly<Record<string, string>> = {}
  ) {
    const answer = await this.send("/console/session", { body: secret, headers })
    if (answer.status === 200) this.csrf = String(answer.json.csrf)
    return answer
  }
}
