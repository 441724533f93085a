import { Effect, Layer } from "effect"
import type { TestProject } from "vitest/node"
import { layer } from "../../src/sql/Database.ts"
import { postgresPrograms, startPostgres } from "./postgresServer.ts"

/** A database with the schema and nothing in it, of which tests get copies. */
export const template = "gateway_template"

/** A digest of all columns. */
export const schemaOf = `SELECT md5(string_agg(c.relname || '.' || a.attname || a.atttypid, ',' ORDER BY c.relname, a.attname)) AS columns
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`

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
  const made = new Bun.SQL({ url, max: 1 })
  project.provide("postgresColumns", String((await made.unsafe(schemaOf))[0].columns))
  await made.close()
  return server.dispose
}

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of the run's Postgres. */
    readonly postgres: string
    /** What `schemaOf` finds in a new database. */
    readonly postgresColumns: string
  }
}
