/**
 * A newsletter with the generated client: people, attributes, a personal campaign, its funnel.
 *
 * CARILLON_SERVER, CARILLON_API_KEY (scope admin) and CARILLON_APP name the server, the key and the App.
 */

import {
    Campaign, CampaignRequest, CampaignsApi, Configuration, ContentApi, DevicesApi, Problem, ResponseError, UsersApi,
} from "./client";

/** What this program uses of Node. */
declare const process: { env: Record<string, string | undefined>; exitCode?: number };

const subscribers = new Map([["u-1", "Ada"], ["u-2", "Grace"]]);

async function main(): Promise<void> {
    const server = new Configuration({ basePath: setting("CARILLON_SERVER"), accessToken: setting("CARILLON_API_KEY") });
    const app = setting("CARILLON_APP");
    await addSubscribers(server, app);
    await send(server, app);
}

async function addSubscribers(server: Configuration, app: string): Promise<void> {
    const devices = new DevicesApi(server);
    const users = new UsersApi(server);
    const rows = [...subscribers.keys()].map((user, index) => `${String(index + 1).padStart(64, "0")},${user},en`);
    const report = await devices.importDevices({ app, body: ["token,user,language", ...rows].join("\n") });
    console.log("devices imported:", report.added + report.replaced);

    for (const [user, name] of subscribers) {
        await users.updateUserAttributes({ app, user, userAttributesChange: { attributes: { name } } });
        const record = await users.getUser({ app, user });
        console.log("user", record.user, record.attributes, "devices", record.contacts.length);
    }
    const listed = await all((cursor) => users.listUsers({ app, cursor, limit: 1 }));
    console.log("users:", listed.map((row) => row.user));
}

async function send(server: Configuration, app: string): Promise<void> {
    const campaigns = new CampaignsApi(server);
    const request: CampaignRequest = {
        name: "Tonight",
        audience: { users: [...subscribers.keys()] },
        message: { content: { default: { title: "Hello {{attribute.name}}", body: "Tonight at eight." } } },
    };
    const trial = await new ContentApi(server).dryRun({ app, campaignRequest: request });
    console.log("problems:", trial.problems, "would reach", trial.estimate?.devices, "devices");

    const campaign = await campaigns.createCampaign({ app, idempotencyKey: "newsletter-1", campaignRequest: request });
    console.log("sent:", (await ended(campaigns, campaign)).state);
    const funnel = await campaigns.getFunnel({ campaign: campaign.id });
    console.log("targeted", funnel.targeted, "accepted", funnel.accepted, "failed", funnel.failed);
    const listed = await all((cursor) => campaigns.listCampaigns({ app, cursor }));
    console.log("campaigns:", listed.map((row) => row.name));
}

/** Waits until the campaign has ended, a minute at most. */
async function ended(campaigns: CampaignsApi, campaign: Campaign): Promise<Campaign> {
    for (let attempt = 0; attempt < 120; attempt += 1) {
        const current = await campaigns.getCampaign({ campaign: campaign.id });
        if (["sent", "cancelled", "paused"].includes(current.state)) {
            return current;
        }
        await new Promise((resume) => setTimeout(resume, 500));
    }
    throw new Error("The campaign did not end within a minute.");
}

/** All items of a list: follows the cursor of each page. */
async function all<Item>(
    page: (cursor?: string) => Promise<{ items: Item[]; nextCursor?: string }>,
): Promise<Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
        const answer = await page(cursor);
        items.push(...answer.items);
        cursor = answer.nextCursor;
    } while (cursor !== undefined);
    return items;
}

function setting(name: string): string {
    const value = process.env[name];
    if (value === undefined) {
        throw new Error(`${name} is not set.`);
    }
    return value;
}

/** The server's words where it refused, for the log. */
async function reason(error: unknown): Promise<string> {
    if (error instanceof ResponseError) {
        const problem: Problem = await error.response.json();
        const fields = (problem.errors ?? []).map((field) => `${field.field}: ${field.problem}`);
        return [`${problem.status} ${problem.title}`, ...fields].join("\n");
    }
    return String(error);
}

main().catch(async (error) => {
    console.error(await reason(error));
    process.exitCode = 1;
});
