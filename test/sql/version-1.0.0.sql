-- A database of version 1.0.0 that began with 0.1.0: keys, tasks, holds, usage, and usage that cannot be money.
CREATE TABLE access_version (version BIGINT NOT NULL);
INSERT INTO "access_version" VALUES(22);
CREATE TABLE accounts ( id TEXT PRIMARY KEY, created_at BIGINT NOT NULL, limits TEXT NOT NULL DEFAULT '{}', search_allowed TEXT, search_blocked TEXT , webhook_version INTEGER NOT NULL DEFAULT 1, webhook_rotated_at BIGINT, granted_nano_usd BIGINT, settled_nano_usd BIGINT NOT NULL DEFAULT 0, declared_nano_usd BIGINT, unpriced TEXT, declared_unpriced TEXT, hold_output_tokens BIGINT, declared_hold_output_tokens BIGINT, held_nano_usd BIGINT NOT NULL DEFAULT 0, suspended_at BIGINT, deleted_at BIGINT);
INSERT INTO "accounts" VALUES('team-a',1795302673549,'{}',NULL,NULL,1,NULL,20000000000,120000,20000000000,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "accounts" VALUES('default',1795302673590,'{}',NULL,NULL,1,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "accounts" VALUES('team-b',1795302674387,'{}',NULL,NULL,1,NULL,5000000000,60000,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "accounts" VALUES('negative',1795302676401,'{}',NULL,NULL,1,NULL,5000000000,45110000,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "accounts" VALUES('fraction',1795302678385,'{}',NULL,NULL,1,NULL,5000000000,115500,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "accounts" VALUES('huge',1795302680689,'{}',NULL,NULL,1,NULL,5000000000,60000,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO "accounts" VALUES('open',1795302682660,'{}',NULL,NULL,1,NULL,NULL,60000,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
CREATE TABLE audit ( id INTEGER PRIMARY KEY, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL, before TEXT, after TEXT );
INSERT INTO "audit" VALUES(1,1795302674395,'cli:operator','account.create','team-b',NULL,'{"object":"account","id":"team-b","metered":true,"granted":{"nano_usd":5000000000,"usd":"5.00"},"settled":{"nano_usd":0,"usd":"0.00"},"held":{"nano_usd":0,"usd":"0.00"},"available":{"nano_usd":5000000000,"usd":"5.00"},"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"search_domains":{"allowed":null,"blocked":null},"keys":0,"created_at":"2026-11-21T23:11:14.387Z"}');
INSERT INTO "audit" VALUES(2,1795302675618,'cli:operator','key.create','key_kk4FxQixpqdAlUSYphtB',NULL,'{"object":"key","id":"key_kk4FxQixpqdAlUSYphtB","account":"team-b","name":"key of team-b","status":"active","hint":"0iew","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"budget":{"period":"month","limit":{"nano_usd":50000000000,"usd":"50.00"},"spent":{"nano_usd":0,"usd":"0.00"}},"declared":false,"created_at":"2026-11-21T23:11:15.477Z","expires_at":null,"last_used_at":null,"revoked_at":null}');
INSERT INTO "audit" VALUES(3,1795302676407,'cli:operator','account.create','negative',NULL,'{"object":"account","id":"negative","metered":true,"granted":{"nano_usd":5000000000,"usd":"5.00"},"settled":{"nano_usd":0,"usd":"0.00"},"held":{"nano_usd":0,"usd":"0.00"},"available":{"nano_usd":5000000000,"usd":"5.00"},"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"search_domains":{"allowed":null,"blocked":null},"keys":0,"created_at":"2026-11-21T23:11:16.401Z"}');
INSERT INTO "audit" VALUES(4,1795302677429,'cli:operator','key.create','key_57IdcmNdG01RvJwB4kDi',NULL,'{"object":"key","id":"key_57IdcmNdG01RvJwB4kDi","account":"negative","name":"key of negative","status":"active","hint":"q79x","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"budget":{"period":"month","limit":{"nano_usd":50000000000,"usd":"50.00"},"spent":{"nano_usd":0,"usd":"0.00"}},"declared":false,"created_at":"2026-11-21T23:11:17.420Z","expires_at":null,"last_used_at":null,"revoked_at":null}');
INSERT INTO "audit" VALUES(5,1795302678397,'cli:operator','account.create','fraction',NULL,'{"object":"account","id":"fraction","metered":true,"granted":{"nano_usd":5000000000,"usd":"5.00"},"settled":{"nano_usd":0,"usd":"0.00"},"held":{"nano_usd":0,"usd":"0.00"},"available":{"nano_usd":5000000000,"usd":"5.00"},"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"search_domains":{"allowed":null,"blocked":null},"keys":0,"created_at":"2026-11-21T23:11:18.385Z"}');
INSERT INTO "audit" VALUES(6,1795302679373,'cli:operator','key.create','key_HpssUKxSHNOq5Scjw48w',NULL,'{"object":"key","id":"key_HpssUKxSHNOq5Scjw48w","account":"fraction","name":"key of fraction","status":"active","hint":"O2Vj","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"budget":{"period":"month","limit":{"nano_usd":50000000000,"usd":"50.00"},"spent":{"nano_usd":0,"usd":"0.00"}},"declared":false,"created_at":"2026-11-21T23:11:19.366Z","expires_at":null,"last_used_at":null,"revoked_at":null}');
INSERT INTO "audit" VALUES(7,1795302680695,'cli:operator','account.create','huge',NULL,'{"object":"account","id":"huge","metered":true,"granted":{"nano_usd":5000000000,"usd":"5.00"},"settled":{"nano_usd":0,"usd":"0.00"},"held":{"nano_usd":0,"usd":"0.00"},"available":{"nano_usd":5000000000,"usd":"5.00"},"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"search_domains":{"allowed":null,"blocked":null},"keys":0,"created_at":"2026-11-21T23:11:20.689Z"}');
INSERT INTO "audit" VALUES(8,1795302681631,'cli:operator','key.create','key_PvgGTVlWNVcebD8YLTa3',NULL,'{"object":"key","id":"key_PvgGTVlWNVcebD8YLTa3","account":"huge","name":"key of huge","status":"active","hint":"AkFu","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"budget":{"period":"month","limit":{"nano_usd":50000000000,"usd":"50.00"},"spent":{"nano_usd":0,"usd":"0.00"}},"declared":false,"created_at":"2026-11-21T23:11:21.603Z","expires_at":null,"last_used_at":null,"revoked_at":null}');
INSERT INTO "audit" VALUES(9,1795302682663,'cli:operator','account.create','open',NULL,'{"object":"account","id":"open","metered":false,"granted":null,"settled":{"nano_usd":0,"usd":"0.00"},"held":{"nano_usd":0,"usd":"0.00"},"available":null,"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"search_domains":{"allowed":null,"blocked":null},"keys":0,"created_at":"2026-11-21T23:11:22.660Z"}');
INSERT INTO "audit" VALUES(10,1795302683525,'cli:operator','key.create','key_q78sbmHOfsc7RjMrd2A9',NULL,'{"object":"key","id":"key_q78sbmHOfsc7RjMrd2A9","account":"open","name":"key of open","status":"active","hint":"EsJk","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"concurrent_tasks":null},"budget":{"period":"month","limit":{"nano_usd":50000000000,"usd":"50.00"},"spent":{"nano_usd":0,"usd":"0.00"}},"declared":false,"created_at":"2026-11-21T23:11:23.519Z","expires_at":null,"last_used_at":null,"revoked_at":null}');
INSERT INTO "audit" VALUES(11,1795920677000,'upgrade','ledger.drift','negative','{"settled_nano_usd":45110000}','{"settled_nano_usd":45110000,"rows_that_can_be_money_nano_usd":60000,"rows_out_of_range":1,"their_cost_nano_usd":45050000.0}');
INSERT INTO "audit" VALUES(12,1795920677000,'upgrade','ledger.drift','fraction','{"settled_nano_usd":115500}','{"settled_nano_usd":115500,"rows_that_can_be_money_nano_usd":60000,"rows_out_of_range":1,"their_cost_nano_usd":55500.0}');
INSERT INTO "audit" VALUES(13,1795920677000,'upgrade','ledger.drift','huge','{"settled_nano_usd":1.0e+303}','{"settled_nano_usd":60000,"rows_that_can_be_money_nano_usd":60000,"rows_out_of_range":1,"their_cost_nano_usd":1.0e+303}');
INSERT INTO "audit" VALUES(14,1795920677000,'upgrade','ledger.drift','open','{"settled_nano_usd":9000000000000111000}','{"settled_nano_usd":60000,"rows_that_can_be_money_nano_usd":60000,"rows_out_of_range":1,"their_cost_nano_usd":9.0000000000000502e+18}');
CREATE TABLE configurations (
    version BIGINT PRIMARY KEY,
    document TEXT NOT NULL,
    applied_at BIGINT NOT NULL,
    applied_by TEXT NOT NULL,
    note TEXT
  );
CREATE TABLE custody (
    task_id TEXT NOT NULL,
    part TEXT NOT NULL,
    name TEXT NOT NULL,
    source TEXT,
    file_id TEXT,
    begun_at BIGINT NOT NULL,
    bytes BIGINT,
    tries BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL,
    lease_owner TEXT,
    lease_token TEXT,
    PRIMARY KEY (task_id, part)
  );
CREATE TABLE deliveries ( id TEXT PRIMARY KEY, task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, account_id TEXT NOT NULL, sequence INTEGER NOT NULL, status TEXT NOT NULL, terminal INTEGER NOT NULL, url TEXT NOT NULL, host TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, changed_at BIGINT NOT NULL, next_at BIGINT, tries INTEGER NOT NULL DEFAULT 0, redelivery INTEGER NOT NULL DEFAULT 0, attempts TEXT NOT NULL DEFAULT '[]', delivered_at BIGINT, lease_token TEXT, lease_owner TEXT , trace TEXT);
CREATE TABLE grants ( id INTEGER PRIMARY KEY, at BIGINT NOT NULL, account_id TEXT NOT NULL REFERENCES accounts (id), nano_usd BIGINT NOT NULL, note TEXT NOT NULL );
INSERT INTO "grants" VALUES(1,1795302673551,'team-a',20000000000,'balance_usd of the configuration file');
INSERT INTO "grants" VALUES(2,1795302674390,'team-b',5000000000,'when it was created');
INSERT INTO "grants" VALUES(3,1795302676403,'negative',5000000000,'when it was created');
INSERT INTO "grants" VALUES(4,1795302678392,'fraction',5000000000,'when it was created');
INSERT INTO "grants" VALUES(5,1795302680691,'huge',5000000000,'when it was created');
CREATE TABLE holds ( id TEXT PRIMARY KEY, at BIGINT NOT NULL, request_id TEXT NOT NULL, account_id TEXT NOT NULL, key_id TEXT NOT NULL, model TEXT NOT NULL, upstream TEXT NOT NULL, price TEXT NOT NULL, nano_usd BIGINT NOT NULL , confirmed INTEGER NOT NULL DEFAULT 1);
INSERT INTO "holds" VALUES('cgt-20261121231123-cmslf7agb8c0s3nr',1795302683652,'req_a91159877a644d7f00000008','team-b','key_kk4FxQixpqdAlUSYphtB','paid-video','videos','{"rates":{},"videoSecond":250000000}',1000000000,1);
INSERT INTO "holds" VALUES('cgt-20261121231123-cnxk85krhy3catwf',1795302683677,'req_a91159877a644d7f00000009','team-a','key_1ZyXp8uK2h90msEmvCsY','paid-video','videos','{"rates":{},"videoSecond":250000000}',1000000000,1);
CREATE TABLE idempotency_claims (
    account_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    node TEXT NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (account_id, endpoint, idempotency_key)
  );
CREATE TABLE kept_answers ( id INTEGER PRIMARY KEY, account_id TEXT NOT NULL, endpoint TEXT NOT NULL, idempotency_key TEXT NOT NULL, body_hash TEXT NOT NULL, status INTEGER NOT NULL, content_type TEXT NOT NULL, answer BLOB NOT NULL, at BIGINT NOT NULL );
CREATE TABLE key_budgets (
    key_id TEXT PRIMARY KEY,
    held_nano_usd BIGINT NOT NULL,
    day TEXT NOT NULL,
    day_nano_usd BIGINT NOT NULL,
    month_nano_usd BIGINT NOT NULL
  );
CREATE TABLE key_spending ( key_id TEXT NOT NULL, day TEXT NOT NULL, nano_usd BIGINT NOT NULL, PRIMARY KEY (key_id, day) );
INSERT INTO "key_spending" VALUES('key_1ZyXp8uK2h90msEmvCsY','2026-11-21',120000);
INSERT INTO "key_spending" VALUES('key_kk4FxQixpqdAlUSYphtB','2026-11-21',60000);
INSERT INTO "key_spending" VALUES('key_57IdcmNdG01RvJwB4kDi','2026-11-21',45110000);
INSERT INTO "key_spending" VALUES('key_HpssUKxSHNOq5Scjw48w','2026-11-21',115500);
INSERT INTO "key_spending" VALUES('key_PvgGTVlWNVcebD8YLTa3','2026-11-21',60000);
INSERT INTO "key_spending" VALUES('key_q78sbmHOfsc7RjMrd2A9','2026-11-21',60000);
CREATE TABLE keys ( id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts (id), name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, models TEXT NOT NULL DEFAULT '["*"]', limits TEXT NOT NULL DEFAULT '{}', budget_nano_usd BIGINT, budget_period TEXT, created_at BIGINT NOT NULL, expires_at BIGINT, last_used_at BIGINT, revoked_at BIGINT , declared TEXT, unpriced TEXT);
INSERT INTO "keys" VALUES('key_1ZyXp8uK2h90msEmvCsY','team-a','declared','f9ba99678ac2fbc49c1fd78e2ba6c1755ac8b1bb96f8ce6d37676125b3514059','','["*"]','{}',NULL,NULL,1795302673549,NULL,1795302683576,NULL,'here',NULL);
INSERT INTO "keys" VALUES('key_QmM2Sq86JtVUlOVOzFOV','default','first key','4eb9fb862fed5ce44e13266649cc9ea5fbeb95b0f985ad7dff3e33f1aecedfa2','','["*"]','{}',NULL,NULL,1795302673588,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "keys" VALUES('key_kk4FxQixpqdAlUSYphtB','team-b','key of team-b','88e8ddb6343d48b0561a9989c8b47105a3f0ca6fe2a93a3fdc8b724c450cc350','0iew','["*"]','{}',50000000000,'month',1795302675477,NULL,1795302683617,NULL,NULL,NULL);
INSERT INTO "keys" VALUES('key_57IdcmNdG01RvJwB4kDi','negative','key of negative','559cefb997360d8aca8f6c1accc548d8ae0433fb589063620ef03a33ba884ec9','q79x','["*"]','{}',50000000000,'month',1795302677420,NULL,1795302683621,NULL,NULL,NULL);
INSERT INTO "keys" VALUES('key_HpssUKxSHNOq5Scjw48w','fraction','key of fraction','c5b09fb9bd3d0e80591e2e49881483fbf1a8fa4e2b29222ce77df5b0a0346095','O2Vj','["*"]','{}',50000000000,'month',1795302679366,NULL,1795302683626,NULL,NULL,NULL);
INSERT INTO "keys" VALUES('key_PvgGTVlWNVcebD8YLTa3','huge','key of huge','5a9b2a54b547f5b460b1f7fe2b3e1c99306c1f9ab34f995540abe166cc2d3f2c','AkFu','["*"]','{}',50000000000,'month',1795302681603,NULL,1795302683630,NULL,NULL,NULL);
INSERT INTO "keys" VALUES('key_q78sbmHOfsc7RjMrd2A9','open','key of open','f85af9056f0f2de9d3d5b31b04f9bad2a5db6e0bab95c847d4deeda0bfd322f3','EsJk','["*"]','{}',50000000000,'month',1795302683519,NULL,1795302683634,NULL,NULL,NULL);
CREATE TABLE "migrations" ( migration_id integer PRIMARY KEY NOT NULL, created_at datetime NOT NULL DEFAULT current_timestamp, name VARCHAR(255) NOT NULL );
INSERT INTO "migrations" VALUES(1,'2026-11-21 23:11:13','keys');
INSERT INTO "migrations" VALUES(2,'2026-11-21 23:11:13','responses');
INSERT INTO "migrations" VALUES(3,'2026-11-21 23:11:13','tasks');
INSERT INTO "migrations" VALUES(4,'2026-11-21 23:11:13','callbacks');
INSERT INTO "migrations" VALUES(5,'2026-11-21 23:11:13','ledger');
INSERT INTO "migrations" VALUES(6,'2026-11-21 23:11:13','responseItems');
INSERT INTO "migrations" VALUES(7,'2026-11-21 23:11:13','declaredKeys');
INSERT INTO "migrations" VALUES(8,'2026-11-21 23:11:13','administration');
INSERT INTO "migrations" VALUES(9,'2026-11-21 23:11:13','idempotency');
INSERT INTO "migrations" VALUES(10,'2026-11-21 23:11:13','holds');
INSERT INTO "migrations" VALUES(11,'2026-11-29 02:51:17','soundMoney');
INSERT INTO "migrations" VALUES(12,'2026-11-29 02:51:17','unpriced');
INSERT INTO "migrations" VALUES(13,'2026-11-29 02:51:17','holdOutput');
INSERT INTO "migrations" VALUES(14,'2026-11-29 02:51:17','threads');
INSERT INTO "migrations" VALUES(15,'2026-11-29 02:51:17','threadHolders');
INSERT INTO "migrations" VALUES(16,'2026-11-29 02:51:17','responseEvents');
INSERT INTO "migrations" VALUES(17,'2026-11-29 02:51:17','reasoningSeals');
INSERT INTO "migrations" VALUES(18,'2026-11-29 02:51:17','upstreamIds');
INSERT INTO "migrations" VALUES(19,'2026-11-29 02:51:17','nodes');
INSERT INTO "migrations" VALUES(20,'2026-11-29 02:51:17','sharedMoney');
INSERT INTO "migrations" VALUES(21,'2026-11-29 02:51:17','custody');
INSERT INTO "migrations" VALUES(22,'2026-11-29 02:51:17','idempotencyClaims');
INSERT INTO "migrations" VALUES(23,'2026-11-29 02:51:17','requests');
INSERT INTO "migrations" VALUES(24,'2026-11-29 02:51:17','configurations');
INSERT INTO "migrations" VALUES(25,'2026-11-29 02:51:17','sandboxOrders');
INSERT INTO "migrations" VALUES(26,'2026-11-29 02:51:17','operations');
INSERT INTO "migrations" VALUES(27,'2026-11-29 02:51:17','traces');
INSERT INTO "migrations" VALUES(28,'2026-11-29 02:51:17','sessions');
INSERT INTO "migrations" VALUES(29,'2026-11-29 02:51:17','requestBodies');
INSERT INTO "migrations" VALUES(30,'2026-11-29 02:51:17','deletedAccounts');
INSERT INTO "migrations" VALUES(31,'2026-11-29 02:51:17','requestOutcomes');
INSERT INTO "migrations" VALUES(32,'2026-11-29 02:51:17','taskCosts');
INSERT INTO "migrations" VALUES(33,'2026-11-29 02:51:17','hourCaches');
INSERT INTO "migrations" VALUES(34,'2026-11-29 02:51:17','settledMoney');
INSERT INTO "migrations" VALUES(35,'2026-11-29 02:51:17','ownRows');
INSERT INTO "migrations" VALUES(36,'2026-11-29 02:51:17','responseInputs');
CREATE TABLE node_batches (
    node TEXT NOT NULL,
    lane INTEGER NOT NULL,
    batch BIGINT NOT NULL,
    answer TEXT,
    buried_at BIGINT,
    PRIMARY KEY (node, lane)
  );
CREATE TABLE node_holds (
    node TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    nano_usd BIGINT NOT NULL,
    PRIMARY KEY (node, account_id, key_id)
  );
CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    machine TEXT NOT NULL,
    pid BIGINT NOT NULL,
    backend BIGINT NOT NULL,
    version TEXT NOT NULL,
    secret_check TEXT,
    started_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    good_until BIGINT NOT NULL
  );
CREATE TABLE reasoning_seals (
    account_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    details TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, call_id)
  );
CREATE TABLE request_bodies (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT NOT NULL,
    is_cut BIGINT NOT NULL
  );
CREATE TABLE request_hours (
    hour BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    requests BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    first_byte_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL, refused BIGINT NOT NULL DEFAULT 0, hang_ups BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (hour, account_id, key_id, model, upstream)
  );
CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    family TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream_model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    status BIGINT NOT NULL,
    error TEXT NOT NULL,
    stream BIGINT NOT NULL,
    first_byte_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    cost_nano_usd BIGINT,
    details TEXT NOT NULL
  , "upstream_cost_nano_usd" BIGINT, settled_at BIGINT);
CREATE TABLE response_events (
    response_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    last INTEGER NOT NULL,
    frames TEXT NOT NULL,
    PRIMARY KEY (response_id, last)
  );
CREATE TABLE response_inputs (
    response_id TEXT PRIMARY KEY REFERENCES responses (id) ON DELETE CASCADE,
    input TEXT NOT NULL
  );
CREATE TABLE response_items ( account_id TEXT NOT NULL, item_id TEXT NOT NULL, response_id TEXT NOT NULL REFERENCES responses (id) ON DELETE CASCADE, PRIMARY KEY (account_id, item_id) );
CREATE TABLE responses ( id TEXT PRIMARY KEY, account_id TEXT NOT NULL, previous_id TEXT, status TEXT NOT NULL, response TEXT NOT NULL, input TEXT NOT NULL, output TEXT NOT NULL, include TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL );
INSERT INTO "responses" VALUES('resp_a7f4a345ad3f866902033018e310b06aa77bd5eb','team-a',NULL,'completed','{"id":"resp_a7f4a345ad3f866902033018e310b06aa77bd5eb","object":"response","created_at":1795302683,"completed_at":1795302683,"status":"completed","background":false,"content_filters":[],"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":50,"max_tool_calls":null,"model":"paid","output":[],"parallel_tool_calls":true,"frequency_penalty":0,"presence_penalty":0,"temperature":1,"top_p":1,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"safety_identifier":null,"user":null,"reasoning":{"effort":null,"summary":null},"service_tier":"default","store":true,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"truncation":"disabled","usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":0},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":15},"metadata":{}}','[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}]','[{"id":"msg_a7f4a345ad3f866902033018e310b06aa77bd5eb0","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello there","annotations":[],"logprobs":[]}]}]','{"searchSources":false,"encryptedReasoning":false}',1795302683000,1797894683000);
CREATE TABLE sandbox_orders (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    content TEXT NOT NULL,
    ends_at BIGINT NOT NULL
  );
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    opened_with TEXT NOT NULL,
    account_id TEXT,
    key_id TEXT,
    client TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  );
CREATE TABLE task_cancellations ( task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE, asked_at BIGINT NOT NULL, outcome TEXT );
CREATE TABLE task_requests ( task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE, request TEXT NOT NULL );
CREATE TABLE tasks ( id TEXT PRIMARY KEY, kind TEXT NOT NULL, account_id TEXT NOT NULL, key_id TEXT NOT NULL, model TEXT NOT NULL, tier TEXT, state TEXT NOT NULL, lane TEXT NOT NULL, upstream TEXT, upstream_id TEXT, submit_at BIGINT, callback_url TEXT, details TEXT NOT NULL, result TEXT, error TEXT, changes INTEGER NOT NULL, attempts INTEGER NOT NULL, tries INTEGER NOT NULL, lease_token TEXT, lease_owner TEXT, next_run_at BIGINT NOT NULL, expires_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, ended_at BIGINT , trace TEXT, started_at BIGINT, cost_nano_usd BIGINT NOT NULL DEFAULT 0);
INSERT INTO "tasks" VALUES('cgt-20261121231123-cmslf7agb8c0s3nr','video','team-b','key_kk4FxQixpqdAlUSYphtB','paid-video','default','running','video:videos','videos','cgt-1',1795302683675,NULL,'{"settings":{"resolution":"480p","ratio":"16:9","width":864,"height":496,"frames":96,"byFrames":false,"seed":3949927755,"generateAudio":true,"watermark":false,"cameraFixed":false,"returnLastFrame":false,"draft":false,"priority":0,"serviceTier":"default","webSearch":false},"executionExpiresAfterSeconds":172800,"safetyIdentifier":null}',NULL,NULL,2,0,0,NULL,NULL,1795302685360,1795475483650,1795302683650,1795302684537,NULL,NULL,NULL,0);
INSERT INTO "tasks" VALUES('cgt-20261121231123-cnxk85krhy3catwf','video','team-a','key_1ZyXp8uK2h90msEmvCsY','paid-video','default','running','video:videos','videos','cgt-1',1795302683683,NULL,'{"settings":{"resolution":"480p","ratio":"16:9","width":864,"height":496,"frames":96,"byFrames":false,"seed":4055740687,"generateAudio":true,"watermark":false,"cameraFixed":false,"returnLastFrame":false,"draft":false,"priority":0,"serviceTier":"default","webSearch":false},"executionExpiresAfterSeconds":172800,"safetyIdentifier":null}',NULL,NULL,2,0,0,NULL,NULL,1795302685797,1795475483676,1795302683676,1795302684641,NULL,NULL,NULL,0);
CREATE TABLE thread_turns (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL,
    previous_id TEXT,
    setup TEXT NOT NULL,
    messages TEXT NOT NULL,
    content TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    expires_at BIGINT NOT NULL, held_by TEXT,
    PRIMARY KEY (account_id, id)
  );
CREATE TABLE upstream_ids (
    upstream TEXT NOT NULL,
    id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    given_at BIGINT NOT NULL,
    PRIMARY KEY (upstream, id)
  );
CREATE TABLE usage ( id INTEGER PRIMARY KEY, at BIGINT NOT NULL, request_id TEXT NOT NULL, account_id TEXT NOT NULL, key_id TEXT NOT NULL, model TEXT NOT NULL, upstream TEXT NOT NULL, outcome TEXT NOT NULL, estimated INTEGER NOT NULL, input_tokens BIGINT NOT NULL, cache_read_tokens BIGINT NOT NULL, cache_write_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL, reasoning_tokens BIGINT NOT NULL, searches BIGINT NOT NULL, video_frames BIGINT NOT NULL, price TEXT NOT NULL, cost_nano_usd BIGINT NOT NULL , cache_write_1h_tokens BIGINT NOT NULL DEFAULT 0, "upstream_cost_nano_usd" BIGINT, task_id TEXT);
INSERT INTO "usage" VALUES(1,1795302683607,'req_a91159877a644d7f00000001','team-a','key_1ZyXp8uK2h90msEmvCsY','paid','up','finished',0,10,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',60000,0,NULL,NULL);
INSERT INTO "usage" VALUES(2,1795302683618,'req_a91159877a644d7f00000002','team-b','key_kk4FxQixpqdAlUSYphtB','paid','up','finished',0,10,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',60000,0,NULL,NULL);
INSERT INTO "usage" VALUES(3,1795302683624,'req_a91159877a644d7f00000003','negative','key_57IdcmNdG01RvJwB4kDi','paid','up','finished',0,10,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',60000,0,NULL,NULL);
INSERT INTO "usage" VALUES(4,1795302683629,'req_a91159877a644d7f00000004','fraction','key_HpssUKxSHNOq5Scjw48w','paid','up','finished',0,10,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',60000,0,NULL,NULL);
INSERT INTO "usage" VALUES(5,1795302683632,'req_a91159877a644d7f00000005','huge','key_PvgGTVlWNVcebD8YLTa3','paid','up','finished',0,10,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',60000,0,NULL,NULL);
INSERT INTO "usage" VALUES(6,1795302683635,'req_a91159877a644d7f00000006','open','key_q78sbmHOfsc7RjMrd2A9','paid','up','finished',0,10,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',60000,0,NULL,NULL);
INSERT INTO "usage" VALUES(7,1795302683644,'req_a91159877a644d7f00000007','team-a','key_1ZyXp8uK2h90msEmvCsY','paid','up','finished',0,10,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',60000,0,NULL,NULL);
INSERT INTO "usage" VALUES(8,1795302683688,'req_a91159877a644d7f0000000a','negative','key_57IdcmNdG01RvJwB4kDi','paid','up','finished',0,0,-5000,0,5005,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',45050000,0,NULL,NULL);
INSERT INTO "usage" VALUES(9,1795302683694,'req_a91159877a644d7f0000000b','fraction','key_HpssUKxSHNOq5Scjw48w','paid','up','finished',0,10.5,0,0,4.5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',55500,0,NULL,NULL);
INSERT INTO "usage" VALUES(10,1795302683701,'req_a91159877a644d7f0000000c','huge','key_PvgGTVlWNVcebD8YLTa3','paid','up','finished',0,1.0e+300,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',1.0e+303,0,NULL,NULL);
INSERT INTO "usage" VALUES(11,1795302683704,'req_a91159877a644d7f0000000d','open','key_q78sbmHOfsc7RjMrd2A9','paid','up','finished',0,9000000000000000,0,0,5,0,0,0,'{"rates":{"input":1000000000,"cacheRead":1000000000,"cacheWrite":1000000000,"output":10000000000,"reasoning":10000000000}}',9000000000000050000,0,NULL,NULL);
CREATE TABLE usage_days ( account_id TEXT NOT NULL, day TEXT NOT NULL, key_id TEXT NOT NULL, model TEXT NOT NULL, requests BIGINT NOT NULL, input_tokens BIGINT NOT NULL, cache_read_tokens BIGINT NOT NULL, cache_write_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL, reasoning_tokens BIGINT NOT NULL, searches BIGINT NOT NULL, video_frames BIGINT NOT NULL, cost_nano_usd BIGINT NOT NULL, "upstream_cost_nano_usd" BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (account_id, day, key_id, model) );
INSERT INTO "usage_days" VALUES('team-a','2026-11-21','key_1ZyXp8uK2h90msEmvCsY','paid',2,20,0,0,10,0,0,0,120000,120000);
INSERT INTO "usage_days" VALUES('team-b','2026-11-21','key_kk4FxQixpqdAlUSYphtB','paid',1,10,0,0,5,0,0,0,60000,60000);
INSERT INTO "usage_days" VALUES('negative','2026-11-21','key_57IdcmNdG01RvJwB4kDi','paid',2,10,-5000,0,5010,0,0,0,45110000,45110000);
INSERT INTO "usage_days" VALUES('fraction','2026-11-21','key_HpssUKxSHNOq5Scjw48w','paid',2,10,0,0,5,0,0,0,60000,60000);
INSERT INTO "usage_days" VALUES('huge','2026-11-21','key_PvgGTVlWNVcebD8YLTa3','paid',2,10,0,0,5,0,0,0,60000,60000);
INSERT INTO "usage_days" VALUES('open','2026-11-21','key_q78sbmHOfsc7RjMrd2A9','paid',2,10,0,0,5,0,0,0,60000,60000);
CREATE TABLE usage_hours (
    hour BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    upstream_cost_nano_usd BIGINT NOT NULL,
    PRIMARY KEY (hour, account_id, key_id, model, upstream)
  );
INSERT INTO "usage_hours" VALUES(1795302000000,'fraction','key_HpssUKxSHNOq5Scjw48w','paid','up',10,5,60000,60000);
INSERT INTO "usage_hours" VALUES(1795302000000,'huge','key_PvgGTVlWNVcebD8YLTa3','paid','up',10,5,60000,60000);
INSERT INTO "usage_hours" VALUES(1795302000000,'negative','key_57IdcmNdG01RvJwB4kDi','paid','up',10,5010,45110000,45110000);
INSERT INTO "usage_hours" VALUES(1795302000000,'open','key_q78sbmHOfsc7RjMrd2A9','paid','up',10,5,60000,60000);
INSERT INTO "usage_hours" VALUES(1795302000000,'team-a','key_1ZyXp8uK2h90msEmvCsY','paid','up',20,10,120000,120000);
INSERT INTO "usage_hours" VALUES(1795302000000,'team-b','key_kk4FxQixpqdAlUSYphtB','paid','up',10,5,60000,60000);
CREATE TABLE usage_unsummed (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    day TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    video_frames BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    held_nano_usd BIGINT NOT NULL
  , "upstream_cost_nano_usd" BIGINT NOT NULL DEFAULT 0, hour BIGINT NOT NULL DEFAULT -1, upstream TEXT NOT NULL DEFAULT '');
CREATE INDEX keys_account ON keys (account_id);
CREATE INDEX responses_expires_at ON responses (expires_at);
CREATE INDEX tasks_due ON tasks (lane, next_run_at) WHERE ended_at IS NULL;
CREATE INDEX tasks_leased ON tasks (next_run_at) WHERE lease_token IS NOT NULL;
CREATE INDEX tasks_expiring ON tasks (expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX tasks_listed ON tasks (account_id, kind, created_at, id);
CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX tasks_upstream_id ON tasks (upstream_id) WHERE upstream_id IS NOT NULL;
CREATE INDEX tasks_unheard ON tasks (lane, submit_at) WHERE submit_at IS NOT NULL AND upstream_id IS NULL;
CREATE UNIQUE INDEX deliveries_task ON deliveries (task_id, sequence);
CREATE INDEX deliveries_due ON deliveries (host, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_owner) WHERE lease_token IS NOT NULL;
CREATE INDEX usage_account ON usage (account_id, at);
CREATE TRIGGER usage_is_append_only BEFORE UPDATE ON usage BEGIN SELECT RAISE(ABORT, 'usage is append-only'); END;
CREATE TRIGGER usage_is_kept BEFORE DELETE ON usage BEGIN SELECT RAISE(ABORT, 'usage is append-only'); END;
CREATE TRIGGER grants_are_append_only BEFORE UPDATE ON grants BEGIN SELECT RAISE(ABORT, 'grants are append-only'); END;
CREATE TRIGGER grants_are_kept BEFORE DELETE ON grants BEGIN SELECT RAISE(ABORT, 'grants are append-only'); END;
CREATE INDEX response_items_response_id ON response_items (response_id);
CREATE UNIQUE INDEX keys_declared ON keys (name) WHERE declared IS NOT NULL;
CREATE INDEX usage_days_day ON usage_days (day);
CREATE INDEX audit_target ON audit (target, id);
CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE INDEX task_cancellations_open ON task_cancellations (asked_at) WHERE outcome IS NULL;
CREATE INDEX tasks_created ON tasks (created_at, id);
CREATE UNIQUE INDEX kept_answers_key ON kept_answers (account_id, endpoint, idempotency_key);
CREATE INDEX kept_answers_at ON kept_answers (at);
CREATE INDEX holds_account ON holds (account_id);
CREATE INDEX holds_key ON holds (key_id);
CREATE TRIGGER usage_is_money BEFORE INSERT ON usage WHEN typeof(NEW.input_tokens) <> 'integer' OR NEW.input_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.cache_read_tokens) <> 'integer' OR NEW.cache_read_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.cache_write_tokens) <> 'integer' OR NEW.cache_write_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.output_tokens) <> 'integer' OR NEW.output_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.reasoning_tokens) <> 'integer' OR NEW.reasoning_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.searches) <> 'integer' OR NEW.searches NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.video_frames) <> 'integer' OR NEW.video_frames NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.cost_nano_usd) <> 'integer' OR NEW.cost_nano_usd NOT BETWEEN 0 AND 9007199254740991
      BEGIN SELECT RAISE(ABORT, 'usage: out of range'); END;
CREATE TRIGGER holds_are_money BEFORE INSERT ON holds WHEN typeof(NEW.nano_usd) <> 'integer' OR NEW.nano_usd NOT BETWEEN 0 AND 9007199254740991
      BEGIN SELECT RAISE(ABORT, 'holds: out of range'); END;
CREATE TRIGGER holds_stay_money BEFORE UPDATE OF nano_usd ON holds WHEN typeof(NEW.nano_usd) <> 'integer' OR NEW.nano_usd NOT BETWEEN 0 AND 9007199254740991
      BEGIN SELECT RAISE(ABORT, 'holds: out of range'); END;
CREATE TRIGGER grants_are_money BEFORE INSERT ON grants WHEN typeof(NEW.nano_usd) <> 'integer' OR NEW.nano_usd NOT BETWEEN -9007199254740991 AND 9007199254740991
      BEGIN SELECT RAISE(ABORT, 'grants: out of range'); END;
CREATE TRIGGER granted_stays_money BEFORE UPDATE OF granted_nano_usd ON accounts WHEN NEW.granted_nano_usd IS NOT NULL AND (typeof(NEW.granted_nano_usd) <> 'integer' OR NEW.granted_nano_usd NOT BETWEEN -9007199254740991 AND 9007199254740991)
      BEGIN SELECT RAISE(ABORT, 'accounts: out of range'); END;
CREATE TRIGGER settled_only_rises BEFORE UPDATE OF settled_nano_usd ON accounts WHEN typeof(NEW.settled_nano_usd) <> 'integer' OR NEW.settled_nano_usd < OLD.settled_nano_usd
      BEGIN SELECT RAISE(ABORT, 'accounts: out of range'); END;
CREATE TRIGGER key_spending_is_money BEFORE INSERT ON key_spending WHEN typeof(NEW.nano_usd) <> 'integer' OR NEW.nano_usd NOT BETWEEN 0 AND 9007199254740991
      BEGIN SELECT RAISE(ABORT, 'key_spending: out of range'); END;
CREATE TRIGGER key_spending_only_rises BEFORE UPDATE ON key_spending WHEN typeof(NEW.nano_usd) <> 'integer' OR NEW.nano_usd < OLD.nano_usd
      BEGIN SELECT RAISE(ABORT, 'key_spending: out of range'); END;
CREATE TRIGGER usage_days_is_money BEFORE INSERT ON usage_days WHEN typeof(NEW.input_tokens) <> 'integer' OR NEW.input_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.cache_read_tokens) <> 'integer' OR NEW.cache_read_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.cache_write_tokens) <> 'integer' OR NEW.cache_write_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.output_tokens) <> 'integer' OR NEW.output_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.reasoning_tokens) <> 'integer' OR NEW.reasoning_tokens NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.searches) <> 'integer' OR NEW.searches NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.video_frames) <> 'integer' OR NEW.video_frames NOT BETWEEN 0 AND 9007199254740991 OR typeof(NEW.cost_nano_usd) <> 'integer' OR NEW.cost_nano_usd NOT BETWEEN 0 AND 9007199254740991
      BEGIN SELECT RAISE(ABORT, 'usage_days: out of range'); END;
CREATE TRIGGER usage_days_only_rises BEFORE UPDATE ON usage_days WHEN typeof(NEW.input_tokens) <> 'integer' OR typeof(NEW.cache_read_tokens) <> 'integer' OR typeof(NEW.cache_write_tokens) <> 'integer' OR typeof(NEW.output_tokens) <> 'integer' OR typeof(NEW.reasoning_tokens) <> 'integer' OR typeof(NEW.searches) <> 'integer' OR typeof(NEW.video_frames) <> 'integer' OR typeof(NEW.cost_nano_usd) <> 'integer' OR NEW.input_tokens < OLD.input_tokens OR NEW.cache_read_tokens < OLD.cache_read_tokens OR NEW.cache_write_tokens < OLD.cache_write_tokens OR NEW.output_tokens < OLD.output_tokens OR NEW.reasoning_tokens < OLD.reasoning_tokens OR NEW.searches < OLD.searches OR NEW.video_frames < OLD.video_frames OR NEW.cost_nano_usd < OLD.cost_nano_usd
      BEGIN SELECT RAISE(ABORT, 'usage_days: out of range'); END;
CREATE UNIQUE INDEX thread_turns_previous_id ON thread_turns (account_id, previous_id);
CREATE INDEX thread_turns_expires_at ON thread_turns (expires_at);
CREATE INDEX reasoning_seals_account_id ON reasoning_seals (account_id, expires_at);
CREATE INDEX reasoning_seals_expires_at ON reasoning_seals (expires_at);
CREATE INDEX custody_due ON custody (due_at);
CREATE UNIQUE INDEX idempotency_claims_token ON idempotency_claims (token);
CREATE INDEX idempotency_claims_node ON idempotency_claims (node);
CREATE INDEX requests_request_id ON requests (request_id);
CREATE INDEX sandbox_orders_task_id ON sandbox_orders (task_id);
CREATE INDEX sandbox_orders_ends_at ON sandbox_orders (ends_at);
CREATE INDEX deliveries_changed_at ON deliveries (changed_at, id);
CREATE INDEX tasks_watched ON tasks (updated_at) WHERE ended_at IS NULL;
CREATE INDEX request_bodies_at ON request_bodies (at);
CREATE INDEX request_bodies_account ON request_bodies (account_id);
CREATE INDEX usage_tasks ON usage (request_id) WHERE task_id IS NOT NULL;
CREATE INDEX requests_account ON requests (account_id, id);
CREATE INDEX tasks_account ON tasks (account_id, created_at, id);
CREATE INDEX deliveries_account ON deliveries (account_id, changed_at, id);
