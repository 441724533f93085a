import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { chromium } from "playwright-core"

const Span = Schema.Struct({
  name: Schema.String,
  context: Schema.Struct({ trace_id: Schema.String, span_id: Schema.String }),
  span_kind: Schema.String,
  parent_id: Schema.NullOr(Schema.String),
  attributes: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
export type Span = typeof Span.Type

const Spans = Schema.Struct({ data: Schema.Array(Span), next_cursor: Schema.NullOr(Schema.String) })
const Sessions = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      session_id: Schema.String,
      traces: Schema.Array(Schema.Struct({ trace_id: Schema.String })),
      token_count_total: Schema.Number
    })
  )
})
const Words = Schema.NullOr(Schema.Struct({ value: Schema.String }))
const edges = <A, I>(node: Schema.Schema<A, I>) => Schema.Struct({ edges: Schema.Array(Schema.Struct({ node })) })
const Projects = Schema.Struct({
  data: Schema.Struct({
    projects: edges(
      Schema.Struct({
        id: Schema.String,
        name: Schema.String,
        sessions: edges(
          Schema.Struct({ id: Schema.String, sessionId: Schema.String, firstInput: Words, lastOutput: Words })
        )
      })
    )
  })
})

const projects = `{ projects { edges { node { id name sessions(first: 50) { edges { node {
  id sessionId firstInput { value } lastOutput { value } } } } } } } }`

const projectOf = async (url: string) => {
  const answer = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: projects })
  })
  const { data } = Schema.decodeUnknownSync(Projects)(await answer.json())
  const found = data.projects.edges.find(({ node }) => node.name === "default")
  return { id: found?.node.id ?? "", sessions: found?.node.sessions.edges.map(({ node }) => node) ?? [] }
}

/** What Phoenix tells by its own interfaces of the project that spans without a name of one come to. */
export const apiOf = (url: string) => {
  const read = async (path: string): Promise<unknown> => (await fetch(`${url}/v1/projects/default/${path}`)).json()
  return {
    sessionsOf: async () => Schema.decodeUnknownSync(Sessions)(await read("sessions")).data,
    spansOf: async (): Promise<ReadonlyArray<Span>> => {
      const spans: Array<Span> = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
        const { data, next_cursor } = Schema.decodeUnknownSync(Spans)(await read(`spans?limit=200${from}`))
        spans.push(...data)
        cursor = next_cursor
      }
      return spans
    },
    /** The first input and the last output of each session, as the list of sessions shows them. */
    shownOf: async () =>
      new Map(
        (await projectOf(url)).sessions.map(({ firstInput, lastOutput, sessionId }) => [
          sessionId,
          { first: firstInput?.value ?? "", last: lastOutput?.value ?? "" }
        ])
      )
  }
}

/** Takes pictures of the list of sessions and of one of them. @param words that the list shows */
export const takePictures = async (url: string, folder: string, session: string, words: string) => {
  mkdirSync(folder, { recursive: true })
  const { id, sessions } = await projectOf(url)
  const one = sessions.find(({ sessionId }) => sessionId === session)
  const args = ["--no-sandbox", "--disable-dev-shm-usage"]
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args })
  try {
    const page = await browser.newPage({ viewport: { width: 1500, height: 1000 } })
    for (const [name, path] of [
      ["sessions", `/projects/${id}/sessions`],
      ["session", `/projects/${id}/sessions/${one?.id}`]
    ]) {
      await page.goto(`${url}${path}`, { waitUntil: "networkidle" })
      await page
        .getByText(name === "session" ? "Turn 01" : words)
        .first()
        .waitFor()
      await page.screenshot({ path: join(folder, `${name}.png`) })
    }
  } finally {
    await browser.close()
  }
}
