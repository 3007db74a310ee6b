import CarillonModel
import Foundation
import Testing

@Suite("An App's own data")
struct JSONValueTests {
    @Test("Values are read by their type, and give nothing for another") func accessors() throws {
        let text = #"{"article":"a-17","count":3,"whole":4.0,"price":2.5,"isNew":true,"tags":["x"],"none":null}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))

        #expect(value["article"]?.string == "a-17" && value["article"]?.integer == nil)
        #expect(value["count"]?.integer == 3 && value["count"]?.number == 3)
        #expect(value["price"]?.number == 2.5 && value["price"]?.integer == nil)
        #expect(JSONValue.number(4).integer == 4)
        #expect(value["isNew"]?.bool == true && value["isNew"]?.string == nil)
        #expect(value["tags"]?.array?.first?.string == "x")
        #expect(value["none"] == .null && value["missing"] == nil && value["article"]?["x"] == nil)
        #expect(value.object?.count == 7)
    }
}
