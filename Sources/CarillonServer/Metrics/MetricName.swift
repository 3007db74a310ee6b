/// The names of all metrics of the server; each label has a bounded set of values.
package enum MetricName: String, CaseIterable, Sendable {
    /// Answered requests, by `route` (the path's pattern), `method` and `status`.
    case requests = "carillon_http_requests_total"
    /// How long answering took, in seconds, by `route` and `method`; streams count until they open.
    case requestDuration = "carillon_http_request_duration_seconds"
    /// Requests that are being answered now.
    case requestsInFlight = "carillon_http_requests_in_flight"
    /// Open streams of progress.
    case streams = "carillon_http_streams"
    /// Open connections to the API.
    case connections = "carillon_http_connections"
    /// Connections that the server ended, by `reason`: `slow-request`, `unread-answer`, `rest-too-long` or `address`, of
    /// an address that has too many.
    case connectionEnds = "carillon_http_connections_ended_total"
    /// Requests that were answered 429, by `kind`: `api-key`, `app-key`, `device`, `unknown-key`, `registration` or
    /// `costly`.
    case limitedRequests = "carillon_http_requests_limited_total"
    /// Registrations, by `result`: `created`, `updated` or `limited`, of a new Device too many.
    case registrations = "carillon_registrations_total"
    /// Values of registrations that were not stored, by `field`: `timeZone`, unknown to the node, or `language`, malformed.
    case registrationWarnings = "carillon_registration_warnings_total"
    /// Reported events, by `result`: `counted`, `repeated` or `rejected`.
    case events = "carillon_events_total"
    /// What people did at their accounts, by `result`: `signed-in`, `signed-up`, `guest`, `wrong` (name or password),
    /// `limited`, `busy` or `reused-token`, one that was replaced before.
    case signIns = "carillon_sign_ins_total"
    /// Campaigns that were accepted, tests included.
    case campaigns = "carillon_campaigns_total"
    /// Notifications that are over, by `outcome`: `accepted`, `failed`, `skipped` or `expired`.
    case notifications = "carillon_notifications_total"
    /// Attempts that failed and are made again later.
    case retries = "carillon_notification_retries_total"
    /// Tokens that are out of use, by `verdict`: `dead` or `quarantined`.
    case tokens = "carillon_tokens_out_of_use_total"
    /// Campaigns that were paused with an alarm.
    case halts = "carillon_campaign_halts_total"
    /// Campaigns of all Apps that are paused with an alarm now, at most 1,001; the same on every node.
    case campaignsHalted = "carillon_campaigns_halted"
    /// Undeliverable messages of the webhooks of all Apps that are stored, at most 1,001; the same on every node.
    case webhookMessagesDead = "carillon_webhook_messages_dead"
    /// Webhooks of all Apps that the server disabled, at most 1,001; the same on every node.
    case webhooksDisabled = "carillon_webhooks_disabled"
    /// For how long the oldest undelivered item of active webhooks of all Apps waits, in seconds; the same on every node.
    case webhookBacklogAge = "carillon_webhook_backlog_age_seconds"
    /// Fetches of sources of content sets, by `result`: `imported`, `unchanged` or `failed`.
    case contentFetches = "carillon_content_fetches_total"
    /// Sources of content sets of all Apps whose last fetch failed, at most 1,001; the same on every node.
    case contentSourcesFailing = "carillon_content_sources_failing"
    /// Campaigns that told of new rows of content sets.
    case contentAlertCampaigns = "carillon_content_alert_campaigns_total"
    /// New rows of content sets that could not be told of.
    case contentAlertFailures = "carillon_content_alert_failures_total"
    /// Attempts at a Campaign's work that could not go on and were put off.
    case workFailures = "carillon_work_failures_total"
    /// Calls of the store that the dispatcher had to make again.
    case storeFailures = "carillon_dispatcher_store_failures_total"
    /// Chunks of other nodes that were taken over because they showed no sign of life.
    case takeovers = "carillon_chunk_takeovers_total"
    /// Leases that had passed to another node when this one came back with them: it wrote nothing.
    case refusals = "carillon_stale_leases_refused_total"
    /// Sessions of this node that another node ended, and with them all its leases.
    case lostSessions = "carillon_dispatcher_sessions_lost_total"
    /// Chunks whose outcomes the store does not take now.
    case chunksWaiting = "carillon_chunks_waiting_for_store"
    /// The notifications of those outcomes.
    case notificationsWaiting = "carillon_notifications_waiting_for_store"
    /// Verdicts on tokens that the store does not take now.
    case verdictsWaiting = "carillon_token_verdicts_waiting_for_store"
    /// Verdicts on tokens that were given up: the next notification to the token gets the same answer.
    case verdictsDropped = "carillon_token_verdicts_dropped_total"
    /// Steps of retention that failed and were left to a later round.
    case retentionFailures = "carillon_retention_failures_total"
    /// Steps of retention that dropped rows.
    case retentionSteps = "carillon_retention_steps_total"
    /// How long these steps took.
    case retentionStepTime = "carillon_retention_step_seconds_total"
    /// Deleted Apps that have rows left, as the node saw it last.
    case deletedAppsUnfinished = "carillon_deleted_apps_unfinished"
    /// Rows of deleted Apps that were removed.
    case deletedAppRows = "carillon_deleted_app_rows_total"
    /// Steps of that which failed and are tried again.
    case deletedAppFailures = "carillon_deleted_app_failures_total"
    /// Weeks to come that have no partition: their rows go to the default partition.
    case partitionsMissing = "carillon_partitions_missing"
    /// When a round of retention last dropped all that was old enough, in seconds since 1970; 0 before the first.
    case retentionRound = "carillon_retention_round_timestamp_seconds"
    /// Chunks that are being sent now.
    case chunksUnderWay = "carillon_chunks_under_way"
    /// Devices of the Chunks that are being sent now.
    case devicesUnderWay = "carillon_devices_under_way"
    /// Notifications that wait for APNs, by `environment`: `production` or `sandbox`, as all that follow.
    case apnsQueued = "carillon_apns_queued"
    /// Notifications that were sent to APNs and not answered yet.
    case apnsInFlight = "carillon_apns_in_flight"
    /// How many streams APNs allows now, on all connections together.
    case apnsStreamLimit = "carillon_apns_stream_limit"
    /// Connections to APNs that stand or are being made.
    case apnsConnections = "carillon_apns_connections"
    /// Connections to APNs that were begun, reconnects included.
    case apnsConnects = "carillon_apns_connects_total"
    /// Ends of connections to APNs, by `cause`, one of our own words.
    case apnsClosures = "carillon_apns_closures_total"
    /// GOAWAYs of APNs, by `reason`: Apple's documented ones, `Other`, or empty for none.
    case apnsGoAways = "carillon_apns_goaways_total"
    /// What became of requests to APNs, by `result` (`accepted`, `rejected`, `not_sent`, `unknown`) and `reason`: Apple's
    /// documented ones, `Other`, or our own words for what got no answer.
    case apnsResults = "carillon_apns_results_total"
    /// How long APNs took to answer, in seconds.
    case apnsLatency = "carillon_apns_answer_duration_seconds"
    /// The age of the oldest provider token in use.
    case apnsTokenAge = "carillon_apns_provider_token_age_seconds"
    /// Keys that are slowed because too many device tokens are bad.
    case apnsSlowed = "carillon_apns_slowed"
    /// Bytes of memory that the process holds.
    case residentMemory = "process_resident_memory_bytes"
    /// When the process began, in seconds since 1970.
    case startTime = "process_start_time_seconds"

    /// What Prometheus is told that it is.
    package var help: String {
        switch self {
        case .requests: "Answered requests."
        case .requestDuration: "How long answering took."
        case .requestsInFlight: "Requests that are being answered now."
        case .streams: "Open streams of progress."
        case .limitedRequests: "Requests beyond a rate limit."
        case .connections: "Open connections."
        case .connectionEnds: "Connections that the server ended."
        case .registrations: "Registrations that were kept."
        case .registrationWarnings: "Values of registrations that were not stored."
        case .events: "Reported events."
        case .signIns: "What people did at their accounts."
        case .campaigns: "Campaigns that were accepted."
        case .notifications: "Notifications that are over."
        case .retries: "Attempts that failed and are made again later."
        case .tokens: "Tokens that are out of use."
        case .halts: "Campaigns that were paused with an alarm."
        case .campaignsHalted: "Campaigns that are paused with an alarm now, on all nodes."
        case .webhookMessagesDead: "Undeliverable messages of webhooks, on all nodes."
        case .webhooksDisabled: "Webhooks that the server disabled, on all nodes."
        case .webhookBacklogAge: "Age of the oldest undelivered item of active webhooks, on all nodes."
        case .contentFetches: "Fetches of sources of content sets."
        case .contentSourcesFailing: "Failing sources of content sets of all nodes; 0 on a node that fetches none."
        case .contentAlertCampaigns: "Campaigns about new rows of content sets."
        case .contentAlertFailures: "New rows of content sets of which no Campaign could be made."
        case .workFailures: "Attempts at a campaign's work that could not go on."
        case .storeFailures: "Calls of the store that the dispatcher had to make again."
        case .takeovers: "Chunks taken over from other nodes."
        case .refusals: "Leases that had passed to another node."
        case .lostSessions: "Sessions of this node that another node ended."
        case .chunksWaiting: "Chunks whose outcomes the store does not take now."
        case .notificationsWaiting: "Notifications whose outcomes the store does not take now."
        case .verdictsWaiting: "Verdicts on tokens that the store does not take now."
        case .verdictsDropped: "Verdicts on tokens that were given up."
        case .retentionFailures: "Steps of retention that failed and are tried again."
        case .retentionSteps: "Steps of retention that dropped rows."
        case .retentionStepTime: "Time that these steps took, in seconds."
        case .deletedAppsUnfinished: "Deleted Apps that have rows left."
        case .deletedAppRows: "Rows of deleted Apps that were removed."
        case .deletedAppFailures: "Steps of removing rows of deleted Apps that failed and are tried again."
        case .partitionsMissing: "Weeks to come that have no partition."
        case .retentionRound: "When a round of retention last did everything, in seconds since 1970."
        case .chunksUnderWay: "Chunks that are being sent now."
        case .devicesUnderWay: "Devices of the chunks that are being sent now."
        case .apnsQueued: "Notifications that wait for APNs."
        case .apnsInFlight: "Notifications that APNs has not answered yet."
        case .apnsStreamLimit: "Streams that APNs allows now."
        case .apnsConnections: "Connections to APNs."
        case .apnsConnects: "Connections to APNs that were begun."
        case .apnsClosures: "Ends of connections to APNs."
        case .apnsGoAways: "Goodbyes of APNs."
        case .apnsResults: "What became of requests to APNs."
        case .apnsLatency: "How long APNs took to answer."
        case .apnsTokenAge: "Age of the oldest provider token in use."
        case .apnsSlowed: "Keys that are slowed because of bad device tokens."
        case .residentMemory: "Bytes of memory that the process holds."
        case .startTime: "When the process began."
        }
    }

    /// How its values behave.
    package var kind: MetricsPage.Kind {
        switch self {
        case .requests, .connectionEnds, .registrations, .registrationWarnings, .events, .signIns, .campaigns,
            .notifications,
            .retries, .tokens, .halts,
            .workFailures, .storeFailures, .takeovers, .refusals, .lostSessions, .verdictsDropped, .apnsConnects,
            .apnsClosures, .apnsGoAways, .apnsResults, .retentionFailures, .retentionSteps, .retentionStepTime,
            .limitedRequests, .deletedAppRows, .deletedAppFailures, .contentFetches, .contentAlertCampaigns,
            .contentAlertFailures:
            .counter
        case .requestDuration, .apnsLatency: .histogram
        case .requestsInFlight, .streams, .connections, .chunksWaiting, .notificationsWaiting, .verdictsWaiting,
            .chunksUnderWay, .devicesUnderWay, .apnsQueued, .apnsInFlight, .apnsStreamLimit, .apnsConnections,
            .apnsTokenAge, .apnsSlowed, .residentMemory, .startTime, .partitionsMissing, .retentionRound,
            .campaignsHalted, .deletedAppsUnfinished, .webhookMessagesDead, .webhooksDisabled, .webhookBacklogAge,
            .contentSourcesFailing:
            .gauge
        }
    }
}
