#include "engine/run/event_delivery.h"

#include <QTest>

#include <thread>

using namespace athanor;

namespace {

std::vector<Event> events(std::int64_t first, std::int64_t last)
{
    std::vector<Event> out;
    for (std::int64_t step = first; step <= last; ++step)
        out.push_back({step, 0, EventKind::Note, {}, {}});
    return out;
}

} // namespace

class TestEventDelivery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aListenerHearsEverythingInOrder()
    {
        EventDelivery delivery(100);
        std::vector<std::int64_t> heard;
        delivery.add(events(1, 3));
        delivery.deliver();
        delivery.setListener([&](const Event& event) { heard.push_back(event.step); });
        delivery.add(events(4, 5));
        delivery.deliver();
        delivery.deliver();
        QCOMPARE(heard, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    }

    void onlyTheNewestWaitForAListener()
    {
        EventDelivery delivery(2);
        delivery.add(events(1, 10));
        std::vector<std::int64_t> heard;
        delivery.setListener([&](const Event& event) { heard.push_back(event.step); });
        delivery.deliver();
        QCOMPARE(heard, (std::vector<std::int64_t>{9, 10}));
    }

    void aListenerMayReplaceItself()
    {
        EventDelivery delivery(100);
        int heard = 0;
        delivery.add(events(1, 1));
        delivery.setListener([&](const Event&) {
            ++heard;
            delivery.setListener([&](const Event&) { heard += 100; }); // no lock is held while it is called
        });
        delivery.deliver();
        delivery.add(events(2, 2));
        delivery.deliver();
        QCOMPARE(heard, 101);
    }

    void aLateListenerIsServedUntilQuit()
    {
        EventDelivery delivery(100);
        delivery.add(events(1, 3));
        std::thread::id servedOn;
        std::atomic<int> heard = 0;
        std::jthread server([&] { delivery.serveUntilQuit(); });
        const auto serverId = server.get_id();
        delivery.setListener([&](const Event&) {
            servedOn = std::this_thread::get_id();
            ++heard;
        });
        QTRY_COMPARE(heard.load(), 3);
        delivery.quit();
        server.join();
        QVERIFY(servedOn == serverId);
    }
};

QTEST_APPLESS_MAIN(TestEventDelivery)
#include "tst_event_delivery.moc"
