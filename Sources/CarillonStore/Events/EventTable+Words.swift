import CarillonEngine
import CarillonModel
import CarillonSQL

/// What people wrote and where they were, of Devices that are known.
extension EventTable {
    /// Events without reply and place where nobody knows the number of their Device.
    ///
    /// The Device was erased, and nothing would find them again. They still count.
    func withoutWordsOfNobody(_ events: [EventRow], app: AppID) throws -> [EventRow] {
        let speaking = Set(events.lazy.filter { $0.reply != nil || $0.place != nil }.map(\.device))
        guard !speaking.isEmpty else { return events }
        let numbers: [DeviceNumber] = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT n.value FROM json_each($1) n
                    WHERE EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $2 AND d.number = n.value)
                        OR EXISTS (SELECT 1 FROM former_device_numbers f WHERE f.app_id = $2 AND f.number = n.value)
                        OR EXISTS (SELECT 1 FROM deleted_devices x WHERE x.app_id = $2 AND x.number = n.value)
                    """,
                postgreSQL: """
                    SELECT n.value FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS n (value)
                    WHERE EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $2 AND d.number = n.value)
                        OR EXISTS (SELECT 1 FROM former_device_numbers f WHERE f.app_id = $2 AND f.number = n.value)
                        OR EXISTS (SELECT 1 FROM deleted_devices x WHERE x.app_id = $2 AND x.number = n.value)
                    """
            ),
            SQLList(speaking.lazy.map(\.rawValue), connection.dialect),
            app,
            as: DeviceNumber.self
        )
        guard numbers.count < speaking.count else { return events }
        let known = Set(numbers)
        return events.map { event in
            guard !known.contains(event.device) else { return event }
            var event = event
            event.reply = nil
            event.place = nil
            return event
        }
    }
}
