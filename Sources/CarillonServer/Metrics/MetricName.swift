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
    /// Registrations that were kept, by `result`: `created` or `updated`.
    case registrations = "carillon_registrations_total"
    /// Reported events, by `result`: `counted`, `repeated` or `rejected`.
    case events = "carillon_events_total"
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
    /// Calls of the store that the dispatcher had to make again.
    case storeFailures = "carillon_dispatcher_store_failures_total"
    /// Chunks that are being sent now.
    case chunksUnderWay = "carillon_chunks_under_way"
    /// Devices of the Chunks that are being sent now.
    case devicesUnderWay = "carillon_devices_under_way"
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
        case .registrations: "Registrations that were kept."
        case .events: "Reported events."
        case .campaigns: "Campaigns that were accepted."
        case .notifications: "Notifications that are over."
        case .retries: "Attempts that failed and are made again later."
        case .tokens: "Tokens that are out of use."
        case .halts: "Campaigns that were paused with an alarm."
        case .storeFailures: "Calls of the store that the dispatcher had to make again."
        case .chunksUnderWay: "Chunks that are being sent now."
        case .devicesUnderWay: "Devices of the chunks that are being sent now."
        case .residentMemory: "Bytes of memory that the process holds."
        case .startTime: "When the process began."
        }
    }

    /// Prometheus' word for how its values behave.
    package var kind: String {
        switch self {
        case .requests, .registrations, .events, .campaigns, .notifications, .retries, .tokens, .halts, .storeFailures:
            "counter"
        case .requestDuration: "histogram"
        case .requestsInFlight, .streams, .chunksUnderWay, .devicesUnderWay, .residentMemory, .startTime: "gauge"
        }
    }
}
