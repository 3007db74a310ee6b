import CarillonModel
import CarillonServer
import Foundation
import NIOCore
import Testing

struct WriterTests {
    private static let places: [(DeviceCategories?, DeviceLocation?)] = [
        (nil, nil),
        (.list([]), DeviceLocation(latitude: -90, longitude: 1e-7, at: Timestamp(rawValue: 1_795_250_640_125))),
        (.list(["1", "\"ä\\"]), nil), (.dimensions([:]), nil),
        (.dimensions(["地域": ["関東", "\"関西\""], "b": []]), nil),
    ]

    @Test("A record is written as by JSONEncoder", arguments: places)
    func writesRecords(_ categories: DeviceCategories?, _ location: DeviceLocation?) throws {
        var registration = Registration(consent: Consent(notifications: true, nightAds: true))
        registration.user = UserID(rawValue: "\"é\\😀/")
        registration.permission = .provisional
        registration.language = "a\nb\tc\u{1}"
        registration.timeZone = "Asia/Tokyo"
        registration.categories = categories
        registration.location = location
        let record = DeviceRecord(
            device: DeviceID(rawValue: UUID()),
            app: AppID(milliseconds: 1_795_250_640_120, sequence: 7),
            registration: registration,
            consentTimes: ConsentTimes(notifications: Timestamp(rawValue: 1), nightAds: Timestamp(rawValue: 2)),
            tokenState: .active,
            createdAt: Timestamp(rawValue: 0),
            registeredAt: Timestamp(rawValue: 1_795_250_640_125)
        )

        let written = try JSONDecoder().decode(
            DeviceRecord.self,
            from: Data(DeviceRecordWriter.json(record).readableBytesView)
        )

        #expect(written == record)
    }
}
