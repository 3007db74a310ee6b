"""A newsletter with the generated client: people, attributes, a personal campaign, its funnel.

CARILLON_SERVER, CARILLON_API_KEY (scope admin) and CARILLON_APP name the server, the key and the App.
"""

import os
import sys
import time

from carillon_client import AuthenticatedClient
from carillon_client.api.campaigns import create_campaign, get_campaign, get_failure_counts, get_funnel, list_campaigns
from carillon_client.api.content import dry_run
from carillon_client.api.devices import list_devices
from carillon_client.api.users import get_user_attributes, list_users, update_user_attributes
from carillon_client.models import Campaign, CampaignRequest, ImportReport, Problem, UserAttributesChange
from carillon_client.types import UNSET

SUBSCRIBERS = {"u-1": "Ada", "u-2": "Grace"}


def checked(response):
    """The parsed answer; ends the program with the server's words when it is a problem."""
    if isinstance(response.parsed, Problem) or response.status_code >= 400:
        problem = response.parsed
        sys.exit(f"{response.status_code}: {problem.title} {[e.to_dict() for e in problem.errors or []]}")
    return response.parsed


def pages(call, **arguments):
    """All items of a list: follows the cursor of each page."""
    cursor = UNSET
    while True:
        page = checked(call(cursor=cursor, **arguments))
        yield from page.items
        if page.next_cursor is UNSET:
            return
        cursor = page.next_cursor


def main():
    with AuthenticatedClient(base_url=os.environ["CARILLON_SERVER"], token=os.environ["CARILLON_API_KEY"]) as client:
        send(client, os.environ["CARILLON_APP"])


def send(client: AuthenticatedClient, app: str):
    lines = ["token,user,language"] + [f"{index:064x},{user},en" for index, user in enumerate(SUBSCRIBERS, 1)]
    # The generator makes no bodies of CSV; its client sends any request with the same key.
    answer = client.get_httpx_client().post(
        "/v1/device-import", params={"app": app}, content="\n".join(lines), headers={"Content-Type": "text/csv"}
    )
    report = ImportReport.from_dict(answer.raise_for_status().json())
    print("devices imported:", report.added + report.replaced)

    for user, name in SUBSCRIBERS.items():
        change = UserAttributesChange.from_dict({"attributes": {"name": name}})
        checked(update_user_attributes.sync_detailed(user, client=client, app=app, body=change))
        kept = checked(get_user_attributes.sync_detailed(user, client=client, app=app))
        print("attributes of", user, kept.to_dict()["attributes"])
    print("users:", [row.user for row in pages(list_users.sync_detailed, client=client, app=app, limit=1)])
    print("devices:", len(list(pages(list_devices.sync_detailed, client=client, app=app))))

    request = CampaignRequest.from_dict({
        "name": "Tonight",
        "audience": {"users": list(SUBSCRIBERS)},
        "message": {"content": {"default": {"title": "Hello {{attribute.name}}", "body": "Tonight at eight."}}},
    })
    trial = checked(dry_run.sync_detailed(client=client, app=app, body=request))
    if trial.problems:
        sys.exit("\n".join(f"{problem.field} {problem.problem}" for problem in trial.problems))
    print("would reach", trial.estimate.devices, "devices")

    campaign = checked(
        create_campaign.sync_detailed(client=client, app=app, body=request, idempotency_key="tonight-1")
    )
    print("sent:", wait(client, campaign))
    funnel = checked(get_funnel.sync_detailed(campaign.id, client=client))
    print("targeted", funnel.targeted, "accepted", funnel.accepted, "failed", funnel.failed.to_dict())
    failures = checked(get_failure_counts.sync_detailed(campaign.id, client=client))
    for failure in failures.items:
        print("failed:", failure.count, failure.reason)
    print("campaigns:", [row.name for row in pages(list_campaigns.sync_detailed, client=client, app=app)])


def wait(client, campaign: Campaign) -> str:
    """Waits until the campaign has ended, a minute at most."""
    for _ in range(120):
        state = checked(get_campaign.sync_detailed(campaign.id, client=client)).state.value
        if state in ("sent", "cancelled", "paused"):
            return state
        time.sleep(0.5)
    sys.exit("The campaign did not end within a minute.")


if __name__ == "__main__":
    main()
