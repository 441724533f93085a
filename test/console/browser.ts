interface Sent {
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** What a browser keeps of a gateway: its cookie, and the token that its page was told. */
export class Browser {
  readonly #url: string
  cookie = ""
  csrf = ""
  lastSetCookie = ""

  constructor(url: string) {
    this.#url = url
  }

  /** As the page sends it; headers that are given are sent instead, empty ones not at all. */
  async send(path: string, { body, headers = {}, method = body === undefined ? "GET" : "POST" }: Sent = {}) {
    const all = { cookie: this.cookie, "x-gateway-csrf": method === "GET" ? "" : this.csrf, ...headers }
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
