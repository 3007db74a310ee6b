/// Names of the API's parameters and fields that many commands use.
enum APIName {
    static let app = "app"
    static let limit = "limit"
    static let cursor = "cursor"
    /// The field of a page with the next page's cursor.
    static let nextCursor = "nextCursor"
    static let items = "items"
    static let from = "from"
    static let until = "until"
    static let createdFrom = "createdFrom"
    static let createdUntil = "createdUntil"
    static let dueFrom = "dueFrom"
    static let dueUntil = "dueUntil"
    /// The method that changes a template.
    static let templateUpdate = "PUT"
    /// The method that changes a statistics key.
    static let statisticsKeyUpdate = "PUT"
    /// Objects that one request reads; every list allows so many.
    static let pageSize = 200
}
