import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { BodiesLive } from "./BodiesLive.ts"
import { RequestExpiry, RequestRetention } from "./RequestExpiry.ts"
import { RequestRowsLive } from "./RequestRows.ts"
import { RequestStore } from "./store/RequestStore.ts"

const RetentionLive = Layer.effect(
  RequestRetention,
  Effect.map(Settings, ({ retention: { audit, mostRequests, requests, usage } }) => ({
    keep: requests,
    maxRows: mostRequests,
    usage,
    audit
  }))
)

/** Stores requests and their bodies, and expires them. */
export const RequestsLive = Layer.mergeAll(
  RequestRowsLive,
  BodiesLive,
  RequestExpiry.pipe(Layer.provide(RequestStore.Default), Layer.provide(RetentionLive))
)
