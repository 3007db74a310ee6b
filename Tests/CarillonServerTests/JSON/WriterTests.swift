import CarillonModel
import CarillonServer
import Foundation
import NIOCore
import Testing

struct WriterTests {
    @Test("A record is written as its encoder would")
    func writesRecords() throws {
        var registration = Registration(consent: Consent(notifications: true, nightAds: true))
        registration.user = UserID(rawValue: "\"é\\😀/")
        registration.permission = .provisional
        registration.language = "a\nb\tc\u{1}"
        registration.timeZone = "Asia/Tokyo"
        let record = DeviceRecord(
            device: DeviceID(rawValue: UUID()),
            app: AppID(milliseconds: 1_795_250_640_120, sequence: 7),
            registration: registration,
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
