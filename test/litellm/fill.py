"""
Prints SQL that fills LiteLLM's tables as its own code would: five teams, twenty keys, models whose parameters are sealed by
the package's encrypt_value_helper, tokens hashed by its hash_token, windows that end where its get_budget_reset_time says.

  python fill.py            windows of the package
  python fill.py --record   windows as expressions of SQL, for the recorded rows of the suite
  python fill.py --gcm      parameters sealed by AES-256-GCM
"""

import json
import os
import sys
from datetime import timezone

os.environ["LITELLM_SALT_KEY"] = "salt-of-the-test"
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from litellm.proxy.auth.auth_utils import abbreviate_api_key
from litellm.proxy.common_utils import encrypt_decrypt_utils
from litellm.proxy.common_utils.timezone_utils import get_budget_reset_time
from litellm.proxy.utils import hash_token

recorded = "--record" in sys.argv
day = "(date_trunc('day', now() at time zone 'utc') + interval '1 day')"
week = "(date_trunc('week', now() at time zone 'utc') + interval '1 week')"
month = "(date_trunc('month', now() at time zone 'utc') + interval '1 month')"
expressions = {"1d": day, "24h": day, "7d": week, "30d": month, "1mo": month, "14d": day.replace("1 day", "14 day")}


class Raw(str):
    """An expression of SQL."""


def reset(duration):
    if duration is None:
        return None
    if recorded:
        return Raw(expressions[duration])
    return get_budget_reset_time(budget_duration=duration).astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def seal(text):
    if "--gcm" in sys.argv:
        return encrypt_decrypt_utils._encrypt_aes_gcm(text, os.environ["LITELLM_SALT_KEY"])
    return encrypt_decrypt_utils.encrypt_value_helper(text)


def literal(value):
    if isinstance(value, Raw):
        return str(value)
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return literal(json.dumps(value)) + "::jsonb"
    if isinstance(value, list):
        return "ARRAY[" + ", ".join(literal(one) for one in value) + "]::text[]"
    return "'" + str(value).replace("'", "''") + "'"


def insert(table, **columns):
    names = ", ".join('"%s"' % name for name in columns)
    print('INSERT INTO "%s" (%s) VALUES (%s);' % (table, names, ", ".join(map(literal, columns.values()))))


by = {"created_by": "admin", "updated_by": "admin"}
now = Raw("now()")

insert("LiteLLM_BudgetTable", budget_id="tier-free", max_budget=2.5, budget_duration="30d", budget_reset_at=reset("30d"), rpm_limit=30, updated_at=now, **by)
insert("LiteLLM_BudgetTable", budget_id="each-user", max_budget=0.75, budget_duration="1d", updated_at=now, **by)
insert("LiteLLM_BudgetTable", budget_id="member", max_budget=3.0, budget_duration="7d", budget_reset_at=reset("7d"), updated_at=now, **by)
insert("LiteLLM_BudgetTable", budget_id="org", max_budget=1000.0, updated_at=now, **by)
insert("LiteLLM_OrganizationTable", organization_id="org-1", organization_alias="Acme", budget_id="org", updated_at=now, **by)

teams = [
    ("team-search", "Search & Ranking", 100.0, "30d", 12.345678901234567, ["gpt-fast", "house"], {}),
    ("team-chat", "Chat", 20.0, "1d", 0.1 + 0.2, [], {"tpm_limit": 100000, "rpm_limit": 600}),
    ("team-batch", "batch", 500.0, None, 431.000000000499, ["all-proxy-models"], {"max_parallel_requests": 8}),
    ("team-mobile", "Mobile", 50.0, "14d", 7.25, ["cheap"], {}),
    ("team-frozen", "Frozen", None, None, 3.5, [], {"blocked": True}),
]
for team_id, alias, most, duration, spend, models, rest in teams:
    insert("LiteLLM_TeamTable", team_id=team_id, team_alias=alias, max_budget=most, budget_duration=duration,
           budget_reset_at=reset(duration), spend=spend, models=models, metadata={}, updated_at=now,
           **({"organization_id": "org-1"} if team_id == "team-search" else {}), **rest)
insert("LiteLLM_UserTable", user_id="ann", user_email="ann@corp.test", max_budget=9.0, budget_duration="7d",
       budget_reset_at=reset("7d"), spend=1.000000001, models=[])
insert("LiteLLM_TeamMembership", user_id="bob", team_id="team-chat", budget_id="member", spend=0.123456789)

keys = []
for index in range(20):
    team_id = teams[index % 4][0]
    keys.append({"token": "sk-litellm-test-%02d-0123456789" % index, "key_alias": "key-%02d" % index, "team_id": team_id,
                 "spend": [0.0, 0.000000001, 1 / 3, 2.718281828459045, 0.1][index % 5], "models": []})
for index, (duration, most) in enumerate([("1d", 5.0), ("7d", 10.0), ("30d", 25.0), ("14d", 4.0), (None, 8.0)]):
    keys[index].update(max_budget=most, budget_duration=duration, budget_reset_at=reset(duration))
keys[5].update(expires=Raw("now() at time zone 'utc' + interval '10 days'"), models=["cheap"])
keys[6].update(blocked=True)
keys[7].update(budget_id="tier-free")
keys[8].update(tpm_limit=4000, rpm_limit=60, max_parallel_requests=2)
keys[9].update(user_id="bob", team_id="team-chat")
keys[10].update(metadata={"tags": ["prod"], "model_rpm_limit": {"gpt-fast": 5}})
keys[11].update(aliases={"mine": "gpt-fast"})
keys[12].update(model_max_budget={"gpt-fast": {"budget_limit": 1.5, "time_period": "1d"}})
keys[13].update(models=["all-team-models"])
keys[14].update(expires=Raw("now() at time zone 'utc' - interval '1 days'"))
keys[17].update(team_id=None, user_id="ann")
keys[18].update(team_id=None)
keys[19].update(team_id="team-frozen")
for key in keys:
    token = key.pop("token")
    insert("LiteLLM_VerificationToken", token=hash_token(token), key_name=abbreviate_api_key(api_key=token), **key)
insert("LiteLLM_VerificationToken", token=hash_token("sk-of-the-page-0123456789"), team_id="litellm-dashboard", spend=0.0, models=[])

for name, params in [
    ("cheap", {"model": seal("openai/gpt-5-mini"), "api_key": seal("sk-provider-0123456789"), "input_cost_per_token": 2.5e-07, "output_cost_per_token": 2e-06}),
    ("house", {"model": seal("hosted_vllm/qwen3-32b"), "api_base": seal("http://127.0.0.1:8000/v1"), "rpm": 50}),
]:
    insert("LiteLLM_ProxyModelTable", model_id="row-" + name, model_name=name, litellm_params=params,
           model_info={"id": "row-" + name, "db_model": True}, updated_at=now, **by)
insert("LiteLLM_EndUserTable", user_id="customer-1", budget_id="each-user", spend=0.5, blocked=False)
insert("LiteLLM_EndUserTable", user_id="customer-2", budget_id="each-user", spend=0.25, blocked=True)
