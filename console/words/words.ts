import { pages, titles, frame, help } from "./frame.ts"
import { copy, dialog, drawer, fields, chart, histogram, waterfall, noMatch, failed, stale } from "./components.ts"
import { signedOut } from "./signedOut.ts"
import { outcome, requests, request } from "./requests.ts"
import { keys, key, keyForm, findKey } from "./keys.ts"
import { account, accountForm, accountModels, accountBudgets, accounts } from "./accounts.ts"
import { audit } from "./audit.ts"
import { sessions } from "./sessions.ts"
import { device } from "./device.ts"
import { consent } from "./consent.ts"
import { tasks, task } from "./tasks.ts"
import { overview } from "./overview.ts"
import { upstreams, models } from "./models.ts"
import { tools } from "./tools.ts"
import { playground } from "./playground.ts"

/**
 * Every text of the console, one file per page; pages contain no texts of their own. Variable parts are function
 * parameters; there is no markup.
 */
export const words = {
  product: "Model Gateway",
  documentation: "Documentation",
  none: "none",
  free: "free",
  never: "never",
  loading: "Loading",
  code: "Code",
  times: { in: (span: string) => `in ${span}`, ago: (span: string) => `${span} ago` },
  pages,
  titles,
  frame,
  copy,
  dialog,
  drawer,
  fields,
  help,
  chart,
  histogram,
  waterfall,
  noMatch,
  failed,
  stale,
  signedOut,
  outcome,
  requests,
  request,
  keys,
  key,
  keyForm,
  findKey,
  accounts,
  account,
  accountForm,
  accountModels,
  accountBudgets,
  sessions,
  device,
  consent,
  audit,
  tasks,
  task,
  overview,
  upstreams,
  models,
  tools,
  playground
}
