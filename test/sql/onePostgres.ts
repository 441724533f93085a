import { Effect, Layer } from "effect"
import type { TestProject } from "vitest/node"
import { layer } from "../../src/sql/Database.ts"
import { postgresPrograms, startPostgres } from "./postgresServer.ts"

/** A database with the schema and nothing in it, of which tests get copies. */
export const template = "gateway_template"

/** One Postgres for all files of a run, each of whose tests has a database of its own (`engines.ts`). */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const programs = postgresPrograms()
  if (programs === undefined) return undefined
  const server = await startPostgres(programs, { fsync: "off", full_page_writes: "off" })
  const sql = new Bun.SQL({ url: server.url, max: 1 })
  await sql.unsafe(`CREATE DATABASE ${template}`)
  await sql.unsafe(`CREATE TABLE left_databases (name TEXT NOT NULL)`)
  await sql.close()
  const url = server.url.replace(/postgres$/, template)
  await Effect.runPromise(Effect.scoped(Layer.build(layer({ url, exclusive: false }))))
  project.provide("postgres", server.url)
  return server.dispose
}

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of the run's Postgres. */
    readonly postgres: string
  }
}
